// RejectedEvent: an event that Kafka acknowledged and that could not be written to the database:
// the event as it was sent, and the reason.
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
  std::string problem;     // JSON, like the response that a request would have got
  bool is_erased = false;  // the contact was erased: store nothing
};
Rejection rejection_of(const Problem& problem);
// The event with that id has the same eventId and content.
Rejection duplicate_of(const Uuid& id);

struct RejectedEvent {
  Uuid id;
  Uuid event_type_id;
  Instant received_at;
  Instant rejected_at;
  std::string code;
  std::optional<json::Raw> problem;
  std::optional<json::Raw> event;  // the request body
  QueuedEvent message;             // the body with the parameters of its request
};
const json::Table<RejectedEvent>& rejected_event_json();

}  // namespace shopbell::custom_events
