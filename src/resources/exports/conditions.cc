#include "resources/exports/conditions.h"

#include <format>

#include "pg/group.h"
#include "pg/snapshot.h"

namespace shopbell::exports {

using pg::Snapshot;

std::string quoted_instant(Instant at) {
  return Snapshot::quote(*pg::parameter(at)) + "::timestamptz";
}

Conditions& Conditions::add(std::string_view condition) {
  sql_.append(" AND ").append(condition);
  return *this;
}

Conditions& Conditions::equal(std::string_view column, const std::optional<std::string>& text) {
  return text ? add(std::format("{} = {}", column, Snapshot::quote(*text))) : *this;
}

Conditions& Conditions::equal_uuid(std::string_view column, const std::optional<std::string>& id) {
  return id ? add(std::format("{} = {}::uuid", column, Snapshot::quote(*id))) : *this;
}

Conditions& Conditions::any_of(std::string_view value, const std::vector<std::string>& texts) {
  return texts.empty() ? *this : add(std::format("{} = ANY ({})", value, Snapshot::quote(texts)));
}

Conditions& Conditions::instant(std::string_view comparison, const std::optional<Instant>& at) {
  return at ? add(std::format("{} {}", comparison, quoted_instant(*at))) : *this;
}

Conditions& Conditions::contact(std::string_view column,
                                const std::optional<ContactName>& contact) {
  return contact ? equal_uuid(column, contact->id) : *this;
}

}  // namespace shopbell::exports
