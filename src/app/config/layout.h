// Layout: where an installation lives when nobody says so. The Debian package has a directory and a
// user for it; everywhere else it is the current directory and whoever runs the command.
#pragma once

#include <filesystem>

namespace shopbell::app {

// For --config: the package's file where the caller may read it, so that root never takes what
// happens to lie in the current directory; else shopbell.toml there.
std::filesystem::path default_config_file();

// For `init`: the package's directory for root, where there is one.
std::filesystem::path default_directory();

// Whether files in it belong to the package's service, and the caller can give them to it.
bool is_packaged(const std::filesystem::path& directory);

// Where the service of such a directory may write.
std::filesystem::path packaged_storage();

// Makes the package's user the owner of a file. Throws std::runtime_error.
void give_to_service(const std::filesystem::path& file);

}  // namespace shopbell::app
