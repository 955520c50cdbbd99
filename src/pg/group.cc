#include "pg/group.h"

#include <algorithm>
#include <format>

namespace shopbell::pg {

Parameter parameter(Instant instant) { return std::format("{:%Y-%m-%d %H:%M:%S}+00", instant); }

Parameter parameter(std::span<const std::uint8_t> bytes) { return "\\x" + to_hex(bytes); }

Parameter parameter(const std::vector<Parameter>& values) {
  std::string array = "{";
  for (const auto& value : values) {
    if (array.size() > 1) array.push_back(',');
    if (!value) {
      array += "NULL";
      continue;
    }
    array.push_back('"');
    for (const char c : *value) {
      if (c == '"' || c == '\\') array.push_back('\\');
      array.push_back(c);
    }
    array.push_back('"');
  }
  array.push_back('}');
  return array;
}

Parameter parameter(const std::vector<std::string>& texts) {
  return parameter(std::vector<Parameter>(texts.begin(), texts.end()));
}

Parameter parameter(const std::vector<Sha256>& hashes) {
  std::vector<std::string> texts;
  texts.reserve(hashes.size());
  for (const auto& hash : hashes) texts.push_back("\\x" + to_hex(hash));
  return parameter(texts);
}

Parameter parameter(const std::vector<Uuid>& ids) {
  std::vector<std::string> texts;
  texts.reserve(ids.size());
  for (const auto& id : ids) texts.push_back(id.to_string());
  return parameter(texts);
}

Group& Group::append(Group other) {
  std::ranges::move(other.statements_, std::back_inserter(statements_));
  return *this;
}

Group Group::with_time_limits(const Query& set_timeout, std::chrono::milliseconds standard) && {
  Group bounded;
  auto limit = standard;
  const auto bound = [&](std::chrono::milliseconds wanted) {
    if (wanted == limit) return;
    limit = wanted;
    bounded.statements_.push_back({&set_timeout, {parameter(limit.count())}, true});
  };
  for (auto& statement : statements_) {
    bound(statement.query->timeout);
    bounded.statements_.push_back(std::move(statement));
  }
  bound(standard);  // between BEGIN and COMMIT the setting would outlive the group
  return bounded;
}

}  // namespace shopbell::pg
