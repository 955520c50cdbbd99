// Authenticated encryption with AES-256-GCM: only a holder of the key can read or create the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"

namespace shopbell {

// `context` is authenticated but not stored: unseal() needs the same one, so that sealed bytes
// cannot be moved to another owner or column.
std::vector<std::uint8_t> seal(const Sha256& key, std::string_view plain, std::string_view context);

// Returns nullopt when the key or the context differs, or when any bit was changed.
std::optional<std::string> unseal(const Sha256& key, std::span<const std::uint8_t> sealed,
                                  std::string_view context);

}  // namespace shopbell
