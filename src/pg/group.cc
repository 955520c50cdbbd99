#include "pg/group.h"

#include <algorithm>
#include <format>

#include "base/digest.h"

namespace shopbell::pg {

Parameter parameter(Instant instant) { return std::format("{:%Y-%m-%d %H:%M:%S}+00", instant); }

Parameter parameter(std::span<const std::uint8_t> bytes) { return "\\x" + to_hex(bytes); }

Parameter parameter(const std::vector<std::string>& texts) {
  std::string array = "{";
  for (const auto& text : texts) {
    if (array.size() > 1) array.push_back(',');
    array.push_back('"');
    for (const char c : text) {
      if (c == '"' || c == '\\') array.push_back('\\');
      array.push_back(c);
    }
    array.push_back('"');
  }
  array.push_back('}');
  return array;
}

std::chrono::milliseconds Group::timeout() const {
  std::chrono::milliseconds longest{0};
  for (const auto& statement : statements_) longest = std::max(longest, statement.query->timeout);
  return longest;
}

}  // namespace shopbell::pg
