// S3: files as objects of a bucket, on AWS or a compatible server. Small files are sent in one
// request; larger ones in parts, with one part in memory at a time. Files are read range by range,
// so reading a file that is removed meanwhile throws Error.
#pragma once

#include <thread>

#include "storage/s3_client.h"
#include "storage/storage.h"

namespace shopbell::storage {

class S3 final : public Storage {
 public:
  explicit S3(S3Settings settings);
  ~S3() override;

  boost::asio::awaitable<std::unique_ptr<Upload>> create(std::string name) override;
  boost::asio::awaitable<std::unique_ptr<Download>> open(std::string name,
                                                         std::uint64_t offset) override;
  boost::asio::awaitable<void> remove(std::string name) override;
  std::optional<std::string> link(const std::string& name, const std::string& file_name,
                                  std::chrono::seconds valid) const override;

  // Calls run on a loop and a thread of their own: signing and TLS would delay requests.
  struct ClientThread;

 private:
  std::shared_ptr<ClientThread> client_thread_;
};

}  // namespace shopbell::storage
