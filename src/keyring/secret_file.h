// Writes a secret to a new file that only its owner may read. Never overwrites a file.
#pragma once

#include <filesystem>
#include <string_view>

namespace shopbell::keyring {

// Throws std::runtime_error with the file's name and the reason.
void write_secret_file(const std::filesystem::path& file, std::string_view text);

}  // namespace shopbell::keyring
