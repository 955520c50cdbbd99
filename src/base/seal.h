// Sealing: bytes that only the holder of the key can read, and nobody can change (AES-256-GCM).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"

namespace shopbell {

// `context` is bound to the seal without being part of it: what was sealed for one place cannot be
// put into another.
std::vector<std::uint8_t> seal(const Sha256& key, std::string_view plain, std::string_view context);

// Nothing when the key, the context or a single bit is another.
std::optional<std::string> unseal(const Sha256& key, std::span<const std::uint8_t> sealed,
                                  std::string_view context);

}  // namespace shopbell
