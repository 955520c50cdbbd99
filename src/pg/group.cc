#include "pg/group.h"

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

Group Group::with_time_limits(const Query& set_timeout, std::chrono::milliseconds limit) && {
  Group bounded;
  for (auto& statement : statements_) {
    if (statement.query->timeout != limit) {
      limit = statement.query->timeout;
      bounded.statements_.push_back({&set_timeout, {parameter(limit.count())}, true});
    }
    bounded.statements_.push_back(std::move(statement));
  }
  return bounded;
}

}  // namespace shopbell::pg
