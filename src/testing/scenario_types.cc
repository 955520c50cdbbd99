#include "testing/scenario_types.h"

namespace shopbell::testing {

using engine::KnownTypes;
using engine::list_of;
using engine::object_of;
using engine::type_of_field;
using engine::ValueType;

namespace {

// Types by name, such as {"contact.fields.level": "choice", "custom.cart": {"total": "decimal"}}.
ValueType type_of(const json::Value& source) {
  if (source.type() == json::Type::text) {
    if (source.text() == "list") return list_of({});
    if (source.text() == "any") return {};
    return type_of_field(source.text(), {});
  }
  if (source.type() == json::Type::list) {
    ValueType item;
    source.for_each([&](std::string_view, const json::Value& one) { item = type_of(one); });
    return list_of(std::move(item));
  }
  ValueType object = object_of({});
  source.for_each([&](std::string_view name, const json::Value& member) {
    object.members.emplace(name, type_of(member));
  });
  return object;
}

ValueType envelope_of(ValueType data) {
  return object_of({{"id", {.kind = ValueType::Kind::text}},
                    {"kind", {.kind = ValueType::Kind::text}},
                    {"occurredAt", {.kind = ValueType::Kind::time}},
                    {"receivedAt", {.kind = ValueType::Kind::time}},
                    {"contactId", {.kind = ValueType::Kind::text}},
                    {"data", std::move(data)}});
}

}  // namespace

KnownTypes types_of_scenarios(const json::Value& file) {
  KnownTypes types{.contact = object_of({}, true), .store = object_of({}, true), .events = {}};
  types.contact.members = {{"birthDate", {.kind = ValueType::Kind::date}},
                           {"createdAt", {.kind = ValueType::Kind::time}},
                           {"points", {.kind = ValueType::Kind::number}},
                           {"tags", list_of({.kind = ValueType::Kind::text})}};
  if (const auto fields = file.member("fields")) types.contact.members["fields"] = type_of(*fields);
  if (const auto events = file.member("events"))
    events->for_each([&](std::string_view kind, const json::Value& data) {
      types.events.emplace(kind, envelope_of(type_of(data)));
    });
  return types;
}

}  // namespace shopbell::testing
