#include "app/config/layout.h"

#include <cerrno>
#include <cstring>
#include <format>
#include <stdexcept>
#include <system_error>

#include <pwd.h>
#include <unistd.h>

namespace shopbell::app {

namespace {

// The package's directory. It must match deploy/ and cmake/package.cmake.
constexpr const char* kDirectory = "/etc/shopbell";
constexpr const char* kConfigFile = "/etc/shopbell/shopbell.toml";
constexpr const char* kStorage = "/var/lib/shopbell/files";
constexpr const char* kUser = "shopbell";

}  // namespace

std::filesystem::path default_config_file() {
  return ::access(kConfigFile, R_OK) == 0 ? kConfigFile : "shopbell.toml";
}

std::filesystem::path default_directory() {
  return ::geteuid() == 0 && std::filesystem::is_directory(kDirectory) ? kDirectory : ".";
}

bool is_packaged(const std::filesystem::path& directory) {
  std::error_code none;  // equivalent() fails if the directory does not exist
  return ::geteuid() == 0 && std::filesystem::equivalent(directory, kDirectory, none) &&
         ::getpwnam(kUser) != nullptr;
}

std::filesystem::path packaged_storage() { return kStorage; }

void give_to_service(const std::filesystem::path& file) {
  const passwd* user = ::getpwnam(kUser);
  if (user == nullptr) throw std::runtime_error{std::format("the user {} does not exist", kUser)};
  if (::chown(file.c_str(), user->pw_uid, user->pw_gid) != 0)
    throw std::runtime_error{std::format("{}: {}", file.string(), std::strerror(errno))};
}

}  // namespace shopbell::app
