// S3: files as objects of a bucket, on AWS or any server that speaks its interface. Small files go
// in one request; larger ones in parts, one in memory at a time. Reading asks for a range at a
// time, so what is removed while it is read ends in an Error.
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

  // The calls, on a loop and a thread of their own: signing and TLS take time that requests have
  // not.
  struct Desk;

 private:
  std::shared_ptr<Desk> desk_;
};

}  // namespace shopbell::storage
