#include "keyring/secret_file.h"

#include <cerrno>
#include <cstring>
#include <format>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace shopbell::keyring {

void write_secret_file(const std::filesystem::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    throw std::runtime_error{std::format("{}: {}", file.string(), std::strerror(errno))};
  }
  const bool written =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(descriptor) == 0;
  ::close(descriptor);
  if (!written) throw std::runtime_error{std::format("{}: cannot be written", file.string())};
}

}  // namespace shopbell::keyring
