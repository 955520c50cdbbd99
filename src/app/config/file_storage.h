// Where files go: an S3 bucket when one is configured, else a directory.
#pragma once

#include <memory>

#include "app/config/config.h"
#include "storage/storage.h"

namespace shopbell::app {

// A secret that stands in a file, on one line, as an operator or a secrets store puts it there.
// Throws ConfigError, naming the setting, when there is none.
std::string secret_in(const std::filesystem::path& file, std::string_view setting);

// Reads the secret of the bucket; throws ConfigError when it cannot.
std::unique_ptr<storage::Storage> open_storage(const Config& config);

}  // namespace shopbell::app
