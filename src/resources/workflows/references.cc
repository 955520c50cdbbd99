#include <format>

#include "resources/workflows/checker.h"
#include "resources/workflows/known_types.h"

namespace shopbell::workflows {

engine::ReferenceTypes types_of(const KnownWorld& world) {
  return {.contact = contact_type(world),
          .store = store_type(),
          .trigger = {},
          .run_item = {},
          .variables = {},
          .event = {},
          .item = {}};
}

std::optional<ValueType> Checker::type_of_event(std::string_view kind) {
  if (kind.starts_with("custom.")) {
    const auto found = world_.event_types.find(kind.substr(7));
    if (found == world_.event_types.end()) return std::nullopt;
    references_.event_types.insert(found->second.id);
    return envelope_of(found->second.data);
  }
  return type_of_own_event(kind);
}

std::optional<ValueType> Checker::event_beside(const json::Value& object) {
  const auto event = object.member("event");
  if (!event || event->type() != json::Type::text) return std::nullopt;
  return type_of_event(event->text()).value_or(ValueType{});
}

std::optional<ValueType> Checker::resolve_here(const json::Value& value, const Scope& scope) {
  const auto path = text_of(value);
  if (!path) return std::nullopt;
  auto type = resolve(*path, scope);
  if (!type) reading_.refuse("unknown-reference", std::format("There is no value {} here.", *path));
  return type;
}

std::optional<ValueType> Checker::resolve(std::string_view path, const Scope& scope) {
  constexpr std::string_view kFields = "contact.fields.";
  types_.event = scope.event;
  types_.item = scope.item;
  types_.in_run = scope.in_run;
  auto type = engine::type_at(path, types_);
  if (type && path.starts_with(kFields)) references_.fields.emplace(path.substr(kFields.size()));
  return type;
}

}  // namespace shopbell::workflows
