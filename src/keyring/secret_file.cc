#include "keyring/secret_file.h"

#include <cerrno>
#include <cstring>
#include <format>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shopbell::keyring {

namespace {

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::runtime_error{std::format("{}: {}", file.string(), std::strerror(errno))};
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags)
      : file_{file}, number_{::open(file.c_str(), flags | O_CLOEXEC, 0600)} {
    if (number_ < 0) fail(file);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(number_, text.data(), text.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(file_);
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void sync() const {
    if (::fsync(number_) != 0) fail(file_);
  }
  void lock() const {
    while (::flock(number_, LOCK_EX) != 0)
      if (errno != EINTR) fail(file_);
  }
  void give_to_owner_of(const std::filesystem::path& other) const {
    struct stat status{};
    if (::stat(other.c_str(), &status) != 0) fail(other);
    if (::fchown(number_, status.st_uid, status.st_gid) != 0) fail(file_);
  }

 private:
  const std::filesystem::path file_;
  const int number_;
};

// A new name in a directory survives a power failure only once the directory is flushed too.
std::filesystem::path directory_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
}

// Writes the whole new file, or nothing. The owner of the file `owner`, if set, becomes its owner.
void write_whole(const std::filesystem::path& file, std::string_view text,
                 const std::filesystem::path* owner) {
  const Descriptor created{file, O_WRONLY | O_CREAT | O_EXCL};
  try {
    created.write(text);
    if (owner != nullptr) created.give_to_owner_of(*owner);
    created.sync();
  } catch (...) {
    ::unlink(file.c_str());
    throw;
  }
}

}  // namespace

void write_secret_file(const std::filesystem::path& file, std::string_view text) {
  write_whole(file, text, nullptr);
  Descriptor{directory_of(file), O_RDONLY | O_DIRECTORY}.sync();
}

void replace_secret_file(const std::filesystem::path& file,
                         const std::function<std::string()>& make) {
  const Descriptor directory{directory_of(file), O_RDONLY | O_DIRECTORY};
  directory.lock();
  std::filesystem::path made = file;
  made += ".new";
  ::unlink(made.c_str());  // left by a process that was killed; the lock excludes a running one
  // Root may run this: keep the owner, so that the service can still read the file.
  write_whole(made, make(), &file);
  if (::rename(made.c_str(), file.c_str()) != 0) {
    ::unlink(made.c_str());
    fail(file);
  }
  directory.sync();
}

}  // namespace shopbell::keyring
