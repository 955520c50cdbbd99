// Layout: default locations of an installation. The Debian package has its own directory and user;
// otherwise the defaults are the current directory and the calling user.
#pragma once

#include <filesystem>

namespace shopbell::app {

// The default of --config: the package's file if the caller may read it, else shopbell.toml in the
// current directory. For root the package's file wins, never a stray file in the current directory.
std::filesystem::path default_config_file();

// The default directory of `init`: the package's directory for root, if it exists.
std::filesystem::path default_directory();

// Returns true if `directory` is the package's directory and the caller is root. Only root can give
// files to the package's user.
bool is_packaged(const std::filesystem::path& directory);

// The storage directory of the package's service.
std::filesystem::path packaged_storage();

// Makes the package's user the owner of a file. Throws std::runtime_error if that fails.
void give_to_service(const std::filesystem::path& file);

}  // namespace shopbell::app
