#include "resources/custom_events/custom_event.h"

#include <format>

#include "base/limits.h"
#include "json/canonical.h"
#include "operations/trigger.h"
#include "resources/contacts/named_contact_field.h"

namespace shopbell::custom_events {

namespace {

using json::Reading;

// Halves the hash: 128 bits are enough to tell events apart.
std::string half(const Sha256& hash) {
  return to_hex(std::span<const std::uint8_t>{hash}.first(16));
}

json::Field<SentEvent> payload() {
  return json::Field<SentEvent>{
      "payload",
      json::Schema{.type = "object",
                   .description = "The values of the event type's fields.",
                   .example = R"({"points":100})",
                   .open = true},
      [](json::Writer& writer, const SentEvent&) { writer.null(); },
      [](Reading& reading, const json::Value& value,
         const json::Field<SentEvent>&) -> json::Field<SentEvent>::Set {
        if (value.type() != json::Type::object) {
          reading.refuse("wrong-type", "Expected an object.");
          return {};
        }
        return [raw = json::Raw{value.to_json()}](SentEvent& sent) { sent.payload = raw; };
      }}
      .restricts();
}

void check_time(Reading& reading, const SentEvent& sent, Instant now) {
  if (!sent.occurred_at || *sent.occurred_at <= now + limits::kEventAhead) return;
  const Reading::Place place{reading, "occurredAt"};
  reading.refuse("out-of-range", "Must be at most 24 hours in the future.");
}

void check_person(Reading& reading, const SentEvent& sent) {
  contacts::Contact named;
  if (sent.contact) sent.contact->apply_to(named);
  if (named.email || named.external_id || reading.refused_at("/contact")) return;
  const Reading::Place place{reading, "contact"};
  reading.refuse("required", "Must contain email, externalId or both.");
}

}  // namespace

const json::Table<SentEvent>& sent_event_json() {
  static const json::Table<SentEvent> table{
      "NewCustomEvent",
      "An event of a contact.",
      {contacts::named_contact_field(&SentEvent::contact, &SentEvent::names_contact)
           .required()
           .doc("The contact, identified by email, externalId or both. Other members of a contact "
                "are allowed: a new contact gets them, and with `updateContact=true` an existing "
                "contact is updated with them.")
           .example(R"({"email":"eva@example.com"})"),
       json::text("eventId", &SentEvent::event_id)
           .doc("Your own id of the event, for deduplication. A repeated id counts as the same "
                "event for 35 days.")
           .length_min(1)
           .length_max(limits::kEventIdCharacters)
           .restricts()
           .example(R"("redeemed-1042")"),
       json::instant("occurredAt", &SentEvent::occurred_at)
           .doc("Time of the event; by default the current time. At most 24 hours in the future."),
       payload()}};
  return table;
}

const json::Table<Receipt>& receipt_json() {
  static const json::Table<Receipt> table{
      "CustomEventReceipt",
      "The result of sending an event.",
      {json::uuid("id", &Receipt::id).doc("The event's id; webhooks carry the same one."),
       json::text("status", &Receipt::status).options({"accepted", "duplicate"}),
       json::uuid("contactId", &Receipt::contact_id),
       json::instant("receivedAt", &Receipt::received_at)}};
  return table;
}

const json::Table<Receipt>& queued_receipt_json() {
  static const json::Table<Receipt> table{
      "QueuedEventReceipt",
      "Confirms that an event was queued.",
      {json::uuid("id", &Receipt::id).doc("The event's id; webhooks carry the same one."),
       json::text("status", &Receipt::status).options({"queued"}),
       json::instant("receivedAt", &Receipt::received_at)}};
  return table;
}

CustomEvent EventValidator::validate(Reading& reading, const json::Value& body,
                                     const SentEvent& sent,
                                     const std::optional<std::string>& fallback_id) const {
  check_time(reading, sent, now);
  check_person(reading, sent);
  std::optional<std::string> kept;
  {
    const Reading::Place place{reading, "payload"};
    const auto document = json::Document::parse(sent.payload ? sent.payload->json : "{}");
    kept = type->payload.read(reading, document->root());
  }
  reading.finish();
  CustomEvent event{.uid = Uuid::v7(now),
                    .kind = "custom." + type->alias,
                    .contact = *sent.contact,
                    .occurred_at = sent.occurred_at,
                    .trigger = operations::trigger_of(*input),
                    .payload = kept.value_or("{}")};
  sent.contact->apply_to(event.named);
  event.names = contacts::names_of(*input, event.named, country);
  const contacts::AddressHasher hasher{input->keyring(), input->account()};
  const std::string type_id = type->id.to_string();
  if (sent.event_id)
    event.key_hash = half(hasher.content(std::format("event {} {}", type_id, *sent.event_id)));
  else if (fallback_id)
    event.key_hash = half(hasher.content(std::format("line {} {}", type_id, *fallback_id)));
  const auto contact = body.member("contact");
  event.content_hash = half(hasher.content(
      std::format("event {} {} {} {}", type_id, contact ? json::canonical(*contact) : "",
                  sent.occurred_at ? to_rfc3339(*sent.occurred_at) : "", event.payload)));
  return event;
}

}  // namespace shopbell::custom_events
