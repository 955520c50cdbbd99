// RejectedEvent: an event that Kafka acknowledged but that could not be written to the database. It
// has the event as it was sent, and the reason.
#pragma once

#include <optional>
#include <string>

#include "base/problem.h"
#include "base/time.h"
#include "base/uuid.h"
#include "json/fields.h"
#include "resources/custom_events/queued_event.h"

namespace shopbell::custom_events {

struct Rejection {
  std::string code;
  std::string problem;     // JSON of the problem that a direct request would have got
  bool is_erased = false;  // the contact was erased, so nothing may be stored
};
Rejection rejection_of(const Problem& problem);
// The rejection of an event whose eventId and content equal those of the event `id`.
Rejection duplicate_of(const Uuid& id);

struct RejectedEvent {
  Uuid id;
  Uuid event_type_id;
  Instant received_at;
  Instant rejected_at;
  std::string code;
  std::optional<json::Raw> problem;
  std::optional<json::Raw> event;  // the event's request body
  QueuedEvent message;             // the body, with the query parameters of its request
};
const json::Table<RejectedEvent>& rejected_event_json();

}  // namespace shopbell::custom_events
