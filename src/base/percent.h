// Percent-encoding of URLs (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace shopbell {

// Decodes %41 to A. Returns nullopt for a bad escape, U+0000 or invalid UTF-8.
std::optional<std::string> percent_decode(std::string_view text);

// Encodes a path segment: everything but letters, digits and -._~@ becomes %XX.
std::string percent_encode(std::string_view text);

}  // namespace shopbell
