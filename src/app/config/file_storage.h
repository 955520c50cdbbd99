// The file storage: an S3 bucket if one is configured, else a directory.
#pragma once

#include <memory>

#include "app/config/config.h"
#include "storage/storage.h"

namespace shopbell::app {

// Reads a secret from the first line of a file. Throws ConfigError with the setting's name if the
// file cannot be read or is empty.
std::string secret_in(const std::filesystem::path& file, std::string_view setting);

// Opens the configured storage. Throws ConfigError if the S3 secret cannot be read.
std::unique_ptr<storage::Storage> open_storage(const Config& config);

}  // namespace shopbell::app
