// CustomEvent: something a store tells of a contact, of a type it has defined itself.
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

// As it was sent.
struct SentEvent {
  bool names_contact = false;
  std::optional<contacts::Patch> contact;
  std::optional<std::string> event_id;
  std::optional<Instant> occurred_at;
  std::optional<json::Raw> payload;
};
const json::Table<SentEvent>& sent_event_json();

// What became of it.
struct Receipt {
  Uuid id;
  std::string status = "accepted";
  Uuid contact_id;  // not known yet of one that is queued
  Instant received_at;
};
const json::Table<Receipt>& receipt_json();
const json::Table<Receipt>& queued_receipt_json();

// Judged, ready to be written.
struct CustomEvent {
  Uuid uid;
  std::string kind;  // "custom.cart-updated"
  contacts::Patch contact;
  contacts::Contact named;  // what `contact` says, on its own
  contacts::Names names;
  std::optional<std::string> key_hash;  // of its eventId; 32 hexadecimal digits
  std::string content_hash;
  std::optional<Instant> occurred_at;
  events::Trigger trigger = events::Trigger::all;
  std::string payload;
};

// What of a request its events share.
struct Judge {
  const http::Call* call;
  Instant now;
  const integrations::KnownEventType* type;
  std::string country;  // of the store, for national phone numbers; known when one was sent

  // Faults go to the reading; ends the request, or the line, when there are any. `fallback_id`
  // names an event that has no id of its own.
  CustomEvent judge(json::Reading& reading, const json::Value& body, const SentEvent& sent,
                    const std::optional<std::string>& fallback_id = std::nullopt) const;
};

}  // namespace shopbell::custom_events
