// The S3 server that tools/services started, for the tests that run against it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "storage/s3_client.h"

namespace shopbell::storage {

inline std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

inline S3Settings real_server() {
  std::string secret;
  std::ifstream{from_environment("SHOPBELL_STORAGE_S3_SECRET_FILE")} >> secret;
  return {.endpoint = from_environment("SHOPBELL_STORAGE_S3_ENDPOINT"),
          .bucket = from_environment("SHOPBELL_STORAGE_S3_BUCKET"),
          .credentials = {from_environment("SHOPBELL_STORAGE_S3_KEY_ID"), secret,
                          from_environment("SHOPBELL_STORAGE_S3_REGION")}};
}

}  // namespace shopbell::storage
