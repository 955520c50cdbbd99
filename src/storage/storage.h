// Storage: files that are too large for the database, such as exports and imports. The service
// chooses the name. A file is written once, from beginning to end, and is visible only when
// complete.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

namespace shopbell::storage {

// The storage itself failed: no space, no access, no answer.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that is being written. Destroyed before finish(), it leaves nothing behind.
class Upload {
 public:
  virtual ~Upload() = default;
  // Returns when the next block may be written. One call at a time.
  virtual boost::asio::awaitable<void> write(std::string block) = 0;
  // Returns when the file is complete and durable.
  virtual boost::asio::awaitable<void> finish() = 0;
};

// A file that is being read. If it is removed meanwhile, read() continues (Directory) or throws
// (S3).
class Download {
 public:
  virtual ~Download() = default;
  virtual std::uint64_t size() const = 0;  // size of the whole file
  // The next block; empty at the end.
  virtual boost::asio::awaitable<std::string> read() = 0;
};

// Usable from any loop; disk and network never block the loop. Every call may throw Error.
class Storage {
 public:
  virtual ~Storage() = default;
  // Replaces a file of that name, once the new one is complete.
  virtual boost::asio::awaitable<std::unique_ptr<Upload>> create(std::string name) = 0;
  // Reads from a byte offset; null if there is no such file.
  virtual boost::asio::awaitable<std::unique_ptr<Download>> open(std::string name,
                                                                 std::uint64_t offset) = 0;
  // Removes the file, and the leftovers of an upload whose process was killed.
  virtual boost::asio::awaitable<void> remove(std::string name) = 0;
  // A URL from which a client can download the file directly, while valid; nullopt if unsupported.
  virtual std::optional<std::string> link(const std::string& name, const std::string& file_name,
                                          std::chrono::seconds valid) const = 0;
};

// True for one to four parts separated by slashes, each 1 to 128 of a–z, 0–9, dot and hyphen, none
// of them only dots. Clients never choose names.
bool is_name(std::string_view name);

}  // namespace shopbell::storage
