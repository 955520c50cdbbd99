#include "pg/group.h"

#include <algorithm>

namespace shopbell::pg {

Parameter parameter(Instant instant) { return to_rfc3339_exactly(instant); }

Parameter parameter(std::span<const std::uint8_t> bytes) { return "\\x" + to_hex(bytes); }

namespace {

template <class Value>
std::string array_of(const std::vector<Value>& values) {
  Array array;
  for (const auto& value : values) array.add(value);
  return std::move(array).finish();
}

}  // namespace

Parameter parameter(const std::vector<Parameter>& values) { return array_of(values); }
Parameter parameter(const std::vector<std::string>& texts) { return array_of(texts); }
Parameter parameter(const std::vector<Sha256>& hashes) { return array_of(hashes); }
Parameter parameter(const std::vector<Uuid>& ids) { return array_of(ids); }

void Array::add_text(std::string_view value) {
  separate();
  text_ += '"';
  while (true) {
    const std::size_t stop = std::min(value.find_first_of("\"\\"), value.size());
    text_ += value.substr(0, stop);
    if (stop == value.size()) break;
    text_ += '\\';
    text_ += value[stop];
    value.remove_prefix(stop + 1);
  }
  text_ += '"';
}

Group Group::as_own() && {
  for (auto& statement : statements_) statement.own = true;
  return std::move(*this);
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
  bound(standard);  // inside BEGIN … COMMIT the setting would outlive the group
  return bounded;
}

}  // namespace shopbell::pg
