#include "app/config/file_storage.h"

#include <format>
#include <fstream>

#include "storage/directory.h"
#include "storage/s3.h"

namespace shopbell::app {

std::string secret_in(const std::filesystem::path& file, std::string_view setting) {
  std::ifstream stream{file};
  std::string secret;
  std::getline(stream, secret);
  if (secret.ends_with('\r')) secret.pop_back();
  if (secret.empty()) {
    throw ConfigError{
        std::format("{}: cannot be read, or is empty; it is set in {}", file.string(), setting)};
  }
  return secret;
}

std::unique_ptr<storage::Storage> open_storage(const Config& config) {
  const S3Config& s3 = config.s3;
  if (s3.endpoint.empty()) return std::make_unique<storage::Directory>(config.storage_directory);
  return std::make_unique<storage::S3>(storage::S3Settings{
      .endpoint = s3.endpoint,
      .bucket = s3.bucket,
      .credentials = {s3.key_id, secret_in(s3.secret_file, "storage.s3_secret_file"), s3.region},
      .bucket_in_host = s3.bucket_in_host,
      .ca_file = s3.ca_file.string()});
}

}  // namespace shopbell::app
