// Where files go: an S3 bucket when one is configured, else a directory.
#pragma once

#include <memory>

#include "app/config.h"
#include "storage/storage.h"

namespace shopbell::app {

// Reads the secret of the bucket; throws ConfigError when it cannot.
std::unique_ptr<storage::Storage> open_storage(const Config& config);

}  // namespace shopbell::app
