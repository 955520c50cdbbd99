#include "engine/reference.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace shopbell::engine {

namespace {

using Kind = ValueType::Kind;

constexpr std::array<std::pair<std::string_view, Reference::Root>, 8> kRoots{
    {{"contact", Reference::Root::contact},
     {"store", Reference::Root::store},
     {"event", Reference::Root::event},
     {"item", Reference::Root::item},
     {"trigger", Reference::Root::trigger},
     {"run", Reference::Root::run},
     {"vars", Reference::Root::variable},
     {"schedule", Reference::Root::schedule}}};

std::pair<std::string_view, std::string_view> split(std::string_view path) {
  const auto dot = std::min(path.find('.'), path.size());
  return {path.substr(0, dot), path.substr(std::min(dot + 1, path.size()))};
}

ValueType type_of_run(const ValueType& item) {
  return object_of({{"id", {.kind = Kind::text}},
                    {"key", {}},
                    {"item", item},
                    {"startedAt", {.kind = Kind::time}}});
}

}  // namespace

std::optional<ValueType> type_at(std::string_view path, const ReferenceTypes& types) {
  const auto [root, rest] = split(path);
  if (path.ends_with('.') || path.contains("..")) return std::nullopt;
  if (root == "contact") return member_at(types.contact, rest);
  if (root == "store") return member_at(types.store, rest);
  if (root == "event" && types.event) return member_at(*types.event, rest);
  if (root == "item" && types.item) return member_at(*types.item, rest);
  // Before its run starts, a schedule can use its date or its year for the run's key.
  if (root == "schedule" && !types.in_run && !types.event)
    return rest == "date" || rest == "year" ? std::optional{ValueType{.kind = Kind::text}}
                                            : std::nullopt;
  if (!types.in_run) return std::nullopt;
  if (root == "trigger") return member_at(types.trigger, rest);
  if (root == "run") return member_at(type_of_run(types.run_item), rest);
  if (root != "vars" || rest.empty()) return std::nullopt;
  const auto [name, member] = split(rest);
  const auto found = types.variables.find(name);
  if (found == types.variables.end()) return std::nullopt;
  return member_at(found->second, member);
}

Reference compile_reference(std::string_view path, const ReferenceTypes& types) {
  const auto type = type_at(path, types);
  if (!type) throw std::invalid_argument{"there is no value " + std::string{path}};
  const auto [root, rest] = split(path);
  const auto* known =
      std::ranges::find(kRoots, root, &std::pair<std::string_view, Reference::Root>::first);
  return {.root = known->second, .path = std::string{rest}, .kind = type->kind};
}

}  // namespace shopbell::engine
