#include "storage/directory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <format>
#include <ranges>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"

namespace shopbell::storage {

namespace {

namespace asio = boost::asio;

[[noreturn]] void fail(std::string_view what, const std::filesystem::path& path) {
  throw Error{std::format("{} {}: {}", what, path.string(), std::strerror(errno))};
}

// Runs blocking work on the disk threads; the coroutine resumes on its own loop.
template <class Work>
asio::awaitable<std::invoke_result_t<Work>> run_work(Work work) {
  co_return work();
}
template <class Work>
asio::awaitable<std::invoke_result_t<Work>> off_loop(asio::thread_pool& threads, Work work) {
  return asio::co_spawn(threads, run_work(std::move(work)), asio::use_awaitable);
}

// Owns a file descriptor.
class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : path_{path}, descriptor_{::open(path.c_str(), flags | O_CLOEXEC, 0600)} {}
  ~File() {
    if (is_open()) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  const std::filesystem::path& path() const { return path_; }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) fail("cannot write", path_);
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  std::string read(std::uint64_t offset) const {
    std::string block(limits::kDownloadBlock, '\0');
    ssize_t taken = 0;
    do {
      taken = ::pread(descriptor_, block.data(), block.size(), static_cast<off_t>(offset));
    } while (taken < 0 && errno == EINTR);
    if (taken < 0) fail("cannot read", path_);
    block.resize(static_cast<std::size_t>(taken));
    return block;
  }

  std::uint64_t size() const {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0) fail("cannot read the size of", path_);
    return static_cast<std::uint64_t>(status.st_size);
  }

  void sync() const {
    if (::fsync(descriptor_) != 0) fail("cannot flush", path_);
  }

 private:
  std::filesystem::path path_;
  int descriptor_;
};

std::filesystem::path unfinished(std::filesystem::path path) { return path += ".part"; }

void sync_directory(const std::filesystem::path& directory) {
  const File opened{directory, O_RDONLY | O_DIRECTORY};
  if (!opened.is_open()) fail("cannot open", directory);
  opened.sync();
}

class DirectoryUpload final : public Upload {
 public:
  DirectoryUpload(asio::thread_pool& threads, std::shared_ptr<File> file,
                  std::filesystem::path path)
      : threads_{threads}, file_{std::move(file)}, path_{std::move(path)} {}
  ~DirectoryUpload() override {
    if (!finished_) ::unlink(file_->path().c_str());
  }

  asio::awaitable<void> write(std::string block) override {
    return off_loop(threads_, [file = file_, bytes = std::move(block)] { file->write(bytes); });
  }

  asio::awaitable<void> finish() override {
    co_await off_loop(threads_, [file = file_, path = path_] {
      file->sync();
      if (::rename(file->path().c_str(), path.c_str()) != 0) fail("cannot rename to", path);
      sync_directory(path.parent_path());
    });
    finished_ = true;
  }

 private:
  asio::thread_pool& threads_;
  std::shared_ptr<File> file_;
  std::filesystem::path path_;
  bool finished_ = false;
};

class DirectoryDownload final : public Download {
 public:
  DirectoryDownload(asio::thread_pool& threads, std::shared_ptr<File> file, std::uint64_t offset)
      : threads_{threads}, file_{std::move(file)}, size_{file_->size()}, offset_{offset} {}

  std::uint64_t size() const override { return size_; }

  asio::awaitable<std::string> read() override {
    std::string block =
        co_await off_loop(threads_, [file = file_, at = offset_] { return file->read(at); });
    offset_ += block.size();
    co_return block;
  }

 private:
  asio::thread_pool& threads_;
  std::shared_ptr<File> file_;
  std::uint64_t size_;
  std::uint64_t offset_;
};

bool is_part(std::string_view part) {
  return !part.empty() && part.size() <= 128 &&
         !std::ranges::all_of(part, [](char c) { return c == '.'; }) &&
         std::ranges::all_of(part, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
         });
}

}  // namespace

bool is_name(std::string_view name) {
  std::size_t parts = 0;
  for (const auto part : std::views::split(name, '/')) {
    if (!is_part(std::string_view{part})) return false;
    ++parts;
  }
  return parts >= 1 && parts <= 4;
}

Directory::Directory(std::filesystem::path root)
    : root_{std::move(root)}, threads_{limits::kStorageThreads} {}

Directory::~Directory() = default;

std::filesystem::path Directory::path_of(const std::string& name) const {
  if (!is_name(name)) throw Error{"that is not a valid file name"};
  return root_ / name;
}

asio::awaitable<std::unique_ptr<Upload>> Directory::create(std::string name) {
  return create_at(path_of(name));
}

asio::awaitable<std::unique_ptr<Upload>> Directory::create_at(std::filesystem::path path) {
  auto file = co_await off_loop(threads_, [path] {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) throw Error{std::format("cannot create {}", path.parent_path().string())};
    auto made = std::make_shared<File>(unfinished(path), O_WRONLY | O_CREAT | O_TRUNC);
    if (!made->is_open()) fail("cannot create", made->path());
    return made;
  });
  co_return std::make_unique<DirectoryUpload>(threads_, std::move(file), path);
}

asio::awaitable<std::unique_ptr<Download>> Directory::open(std::string name, std::uint64_t offset) {
  const std::filesystem::path path = path_of(name);
  auto file = co_await off_loop(threads_, [path] {
    auto opened = std::make_shared<File>(path, O_RDONLY);
    if (!opened->is_open() && errno != ENOENT) fail("cannot open", path);
    return opened;
  });
  if (!file->is_open()) co_return nullptr;
  co_return std::make_unique<DirectoryDownload>(threads_, std::move(file), offset);
}

asio::awaitable<void> Directory::remove(std::string name) {
  return off_loop(threads_, [path = path_of(name)] {
    for (const auto& gone : {path, unfinished(path)})
      if (::unlink(gone.c_str()) != 0 && errno != ENOENT) fail("cannot remove", gone);
  });
}

std::optional<std::string> Directory::link(const std::string&, const std::string&,
                                           std::chrono::seconds) const {
  return std::nullopt;
}

}  // namespace shopbell::storage
