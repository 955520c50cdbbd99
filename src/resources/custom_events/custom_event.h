// CustomEvent: an event of a contact that a store sends. The store defines the event's type.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "base/uuid.h"
#include "events/event.h"
#include "json/fields.h"
#include "resources/contacts/named_contact.h"
#include "resources/integrations/event_type_set.h"

namespace shopbell::custom_events {

// The request body of an event.
struct SentEvent {
  bool names_contact = false;
  std::optional<contacts::Patch> contact;
  std::optional<std::string> event_id;
  std::optional<Instant> occurred_at;
  std::optional<json::Raw> payload;
};
const json::Table<SentEvent>& sent_event_json();

// The result of sending an event.
struct Receipt {
  Uuid id;
  std::string status = "accepted";
  Uuid contact_id;  // nil while the event is queued: the contact is not known yet
  Instant received_at;
};
const json::Table<Receipt>& receipt_json();
const json::Table<Receipt>& queued_receipt_json();

// A validated event, ready to be written.
struct CustomEvent {
  Uuid uid;
  std::string kind;  // kind of event, such as "custom.cart-updated"
  contacts::Patch contact;
  contacts::Contact named;  // the members of `contact`, applied to an empty contact
  contacts::Names names;
  std::optional<std::string> key_hash;  // hash of the eventId: 32 hexadecimal digits
  std::string content_hash;
  std::optional<Instant> occurred_at;
  events::Trigger trigger = events::Trigger::all;
  std::string payload;
};

// Validates events; holds the data that all events of one request share.
struct EventValidator {
  const operations::Input* input;
  Instant now;
  const integrations::KnownEventType* type;
  std::string country;  // the store's country, for phone numbers; read only if one was sent

  // Adds faults to the reading, and throws if the event has any. They reject the request, or only
  // the event's line. `fallback_id` identifies an event without an eventId.
  CustomEvent validate(json::Reading& reading, const json::Value& body, const SentEvent& sent,
                       const std::optional<std::string>& fallback_id = std::nullopt) const;
};

}  // namespace shopbell::custom_events
