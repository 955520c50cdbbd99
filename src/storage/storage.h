// Storage: where files go that are too large for the database: what exports make, what imports
// bring. A file has a name that the service chose, is written once, from its beginning to its end,
// and is there for others only when it is whole.
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

// What the storage itself cannot do: no room, no access, no answer.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that is being written. One that is dropped before finish() leaves nothing behind.
class Upload {
 public:
  virtual ~Upload() = default;
  // Returns when the next block may come. One at a time.
  virtual boost::asio::awaitable<void> write(std::string block) = 0;
  // The file is whole, and stays so whatever happens to the machine.
  virtual boost::asio::awaitable<void> finish() = 0;
};

// A file that is being read. It can be read to its end even if it is removed meanwhile.
class Download {
 public:
  virtual ~Download() = default;
  virtual std::uint64_t size() const = 0;  // of the whole file
  // The next block; empty at the end.
  virtual boost::asio::awaitable<std::string> read() = 0;
};

// From any loop: what waits for the disk or the network keeps nobody else from going on. All of it
// throws Error.
class Storage {
 public:
  virtual ~Storage() = default;
  // Replaces a file of that name, once it is whole.
  virtual boost::asio::awaitable<std::unique_ptr<Upload>> create(std::string name) = 0;
  // From a byte of it on; nothing when there is no such file.
  virtual boost::asio::awaitable<std::unique_ptr<Download>> open(std::string name,
                                                                 std::uint64_t offset) = 0;
  // The file, and whatever an upload of that name left when its process was killed.
  virtual boost::asio::awaitable<void> remove(std::string name) = 0;
  // Where a client can fetch the file without us, for so long; nothing when there is no such place.
  virtual std::optional<std::string> link(const std::string& name, const std::string& file_name,
                                          std::chrono::seconds valid) const = 0;
};

// One to four parts with slashes between, each 1 to 128 of a–z, 0–9, dot and hyphen, none of them
// only dots. A client never chooses one.
bool is_name(std::string_view name);

}  // namespace shopbell::storage
