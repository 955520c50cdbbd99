// RejectedEvent: an event that was acknowledged by Kafka and could not be written: as it was sent,
// and why.
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
  std::string problem;     // JSON, as a request would have been answered
  bool is_erased = false;  // of a person of whom nothing may be kept
};
Rejection rejection_of(const Problem& problem);
// The event of that id has its eventId and its content.
Rejection duplicate_of(const Uuid& id);

struct RejectedEvent {
  Uuid id;
  Uuid event_type_id;
  Instant received_at;
  Instant rejected_at;
  std::string code;
  std::optional<json::Raw> problem;
  std::optional<json::Raw> event;  // the body that was sent
  QueuedEvent message;             // the same, with what its request wished
};
const json::Table<RejectedEvent>& rejected_event_json();

}  // namespace shopbell::custom_events
