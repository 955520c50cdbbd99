#include "resources/workflows/known_types.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "events/event_kinds.h"
#include "resources/contact_fields/contact_field.h"

namespace shopbell::workflows {

namespace {

using Kind = ValueType::Kind;

ValueType plain(Kind kind) { return {.kind = kind}; }

// Kinds of events that definitions may name although their data has no schema yet.
constexpr std::array<std::string_view, 5> kUndescribed{"message.bounced", "message.opened",
                                                       "message.clicked", "message.complained",
                                                       "message.unsubscribed"};

// The built-in members of a contact, including those that the service computes.
const ValueType& built_in_type() {
  static const ValueType type = [] {
    ValueType contact =
        object_of({{"id", plain(Kind::text)},
                   {"createdAt", plain(Kind::time)},
                   {"updatedAt", plain(Kind::time)},
                   {"purchases", object_of({{"count", plain(Kind::number)},
                                            {"totalAmount", plain(Kind::number)},
                                            {"averageAmount", plain(Kind::number)},
                                            {"currency", plain(Kind::text)},
                                            {"firstAt", plain(Kind::time)},
                                            {"lastAt", plain(Kind::time)}})},
                   {"delivery", object_of({{"softBounces", plain(Kind::number)},
                                           {"bouncedAt", plain(Kind::time)},
                                           {"bounceReason", plain(Kind::text)},
                                           {"complainedAt", plain(Kind::time)},
                                           {"unsubscribedAt", plain(Kind::time)}})}});
    for (const auto& field : contact_fields::built_in_fields({})) {
      std::vector<std::string> options;
      options.reserve(field.options.size());
      for (const auto& option : field.options) options.push_back(option.id);
      contact.members.emplace(field.id, type_of_field(field.type, std::move(options)));
    }
    return contact;
  }();
  return type;
}

}  // namespace

ValueType envelope_of(ValueType data) {
  return object_of({{"id", plain(Kind::text)},
                    {"kind", plain(Kind::text)},
                    {"occurredAt", plain(Kind::time)},
                    {"receivedAt", plain(Kind::time)},
                    {"contactId", plain(Kind::text)},
                    {"data", std::move(data)}});
}

ValueType store_type() {
  return object_of({{"name", plain(Kind::text)},
                    {"url", plain(Kind::text)},
                    {"timeZone", plain(Kind::text)},
                    {"currency", plain(Kind::text)},
                    {"locale", plain(Kind::text)},
                    {"country", plain(Kind::text)}});
}

ValueType contact_type(const KnownWorld& world) {
  ValueType contact = built_in_type();
  ValueType fields = object_of({});
  fields.members.insert(world.fields.begin(), world.fields.end());
  contact.members.emplace("fields", std::move(fields));
  return contact;
}

std::optional<ValueType> type_of_own_event(std::string_view kind) {
  if (const auto* known = events::find_kind(kind)) return envelope_of(type_of_schema(known->data));
  if (std::ranges::contains(kUndescribed, kind)) return envelope_of({});
  return std::nullopt;
}

engine::KnownTypes known_types(const KnownWorld& world) {
  static const auto own_events = [] {
    std::map<std::string, ValueType, std::less<>> types;
    for (const auto& kind : events::event_kinds())
      types.emplace(kind.name, envelope_of(type_of_schema(kind.data)));
    for (const auto kind : kUndescribed) types.emplace(kind, envelope_of({}));
    return types;
  }();
  engine::KnownTypes types{
      .contact = contact_type(world), .store = store_type(), .events = own_events};
  for (const auto& [alias, type] : world.event_types)
    types.events.emplace("custom." + alias, envelope_of(type.data));
  return types;
}

engine::Definition compiled(std::string_view definition, std::int64_t version,
                            const engine::KnownTypes& types) {
  const auto document = json::Document::parse(definition);
  if (!document) throw std::logic_error{"the stored definition is not JSON"};
  return engine::compile(document->root(), version, types);
}

}  // namespace shopbell::workflows
