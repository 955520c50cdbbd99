// Base64 with padding (RFC 4648, section 4).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell {

std::string to_base64(std::span<const std::uint8_t> bytes);
// Returns nullopt unless the whole text is canonical base64.
std::optional<std::vector<std::uint8_t>> from_base64(std::string_view text);

}  // namespace shopbell
