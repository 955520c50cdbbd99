// Layout: default locations of an installation. The Debian package has its own directory and user;
// otherwise the defaults are the current directory and the calling user.
#pragma once

#include <filesystem>

namespace shopbell::app {

// The default of --config: the package's file if the caller may read it, else shopbell.toml in the
// current directory. So root never uses a file from the current directory by accident.
std::filesystem::path default_config_file();

// The default of `init`: the package's directory for root, if it exists.
std::filesystem::path default_directory();

// Tells whether it is the package's directory and the caller is root, who can change owners of
// files.
bool is_packaged(const std::filesystem::path& directory);

// The storage directory of the package's service.
std::filesystem::path packaged_storage();

// Makes the package's user the owner of a file. Throws std::runtime_error.
void give_to_service(const std::filesystem::path& file);

}  // namespace shopbell::app
