// Secret files: only their owner may read them. A file is written completely or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace shopbell::keyring {

// Writes a new file. Throws std::runtime_error with the file's name and the reason, also when the
// file exists.
void write_secret_file(const std::filesystem::path& file, std::string_view text);

// Replaces a file atomically, and keeps its owner. `make` returns the new text; no other process
// replaces a file of this directory meanwhile. Throws like write_secret_file.
void replace_secret_file(const std::filesystem::path& file,
                         const std::function<std::string()>& make);

}  // namespace shopbell::keyring
