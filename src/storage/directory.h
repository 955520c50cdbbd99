// Directory: files in a directory of this machine, or in one that several processes share.
#pragma once

#include <filesystem>

#include <boost/asio/thread_pool.hpp>

#include "storage/storage.h"

namespace shopbell::storage {

class Directory final : public Storage {
 public:
  // The directory is created with the first file.
  explicit Directory(std::filesystem::path root);
  ~Directory() override;

  boost::asio::awaitable<std::unique_ptr<Upload>> create(std::string name) override;
  // Writes to any path, for callers that may choose any file of the machine.
  boost::asio::awaitable<std::unique_ptr<Upload>> create_at(std::filesystem::path path);
  boost::asio::awaitable<std::unique_ptr<Download>> open(std::string name,
                                                         std::uint64_t offset) override;
  boost::asio::awaitable<void> remove(std::string name) override;
  std::optional<std::string> link(const std::string& name, const std::string& file_name,
                                  std::chrono::seconds valid) const override;

 private:
  std::filesystem::path path_of(const std::string& name) const;

  const std::filesystem::path root_;
  boost::asio::thread_pool threads_;  // file I/O blocks, so it runs off the loop
};

}  // namespace shopbell::storage
