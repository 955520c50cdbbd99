#include <array>

#include "events/event_kinds.h"
#include "resources/contact_fields/contact_field.h"
#include "resources/workflows/checker.h"

namespace shopbell::workflows {

namespace {

using Kind = ValueType::Kind;

ValueType plain(Kind kind) { return {.kind = kind}; }

// Kinds of events that definitions may name although their data has no schema yet.
constexpr std::array<std::string_view, 27> kUndescribed{
    "purchase.created",      "purchase.updated",   "purchase.paid",        "purchase.fulfilled",
    "purchase.delivered",    "purchase.cancelled", "purchase.refunded",    "purchase.deleted",
    "product.created",       "product.updated",    "product.deleted",      "product.price-dropped",
    "product.back-in-stock", "message.planned",    "message.sent",         "message.failed",
    "message.suppressed",    "message.skipped",    "message.bounced",      "message.opened",
    "message.clicked",       "message.complained", "message.unsubscribed", "workflow.entered",
    "workflow.exited",       "workflow.completed", "workflow.converted"};

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

engine::ReferenceTypes types_of(const KnownWorld& world) {
  ValueType contact = built_in_type();
  ValueType fields = object_of({});
  fields.members.insert(world.fields.begin(), world.fields.end());
  contact.members.emplace("fields", std::move(fields));
  return {.contact = std::move(contact),
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
  if (const auto* known = events::find_kind(kind)) return envelope_of(type_of_schema(known->data));
  if (std::ranges::contains(kUndescribed, kind)) return envelope_of({});
  return std::nullopt;
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
