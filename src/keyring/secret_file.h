// Secrets go into files that only their owner may read, and never over a file that is there.
#pragma once

#include <filesystem>
#include <string_view>

namespace shopbell::keyring {

// Throws std::runtime_error with the file's name and what is in the way.
void write_secret_file(const std::filesystem::path& file, std::string_view text);

}  // namespace shopbell::keyring
