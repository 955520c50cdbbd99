#include "operations/caller.h"

#include <algorithm>
#include <array>

namespace shopbell::operations {

bool Caller::may(std::string_view scope) const {
  if (kind != Kind::key && kind != Kind::user) return true;
  return std::ranges::contains(scopes, scope);
}

bool Caller::may_all(std::span<const std::string> wanted) const {
  return std::ranges::all_of(wanted, [&](const std::string& scope) { return may(scope); });
}

std::optional<Uuid> Caller::key() const {
  return kind == Kind::key ? std::optional{key_id} : std::nullopt;
}

std::string_view name_of(Caller::Kind kind) {
  constexpr std::array<std::string_view, 7> kNames{"key",   "user",   "command", "import",
                                                   "queue", "engine", "system"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace shopbell::operations
