// Kinds of events, and the data of each. `shopbell events` prints them as JSON Schema;
// docs/api/events.json is generated from that.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/schema.h"

namespace shopbell::events {

// Kinds without a dot are internal to the service: commands, and transfers from one contact to
// another. Lists, files, reports and webhooks never show them.
inline constexpr std::string_view kHandover = "handover";  // the contact was merged into another
// A workflow sends the payload to the endpoint of an event type, whose id is the subject. The uid
// is the id of the delivery.
inline constexpr std::string_view kSendWebhook = "send-webhook";
constexpr bool is_internal(std::string_view kind) { return !kind.contains('.'); }
// An SQL condition on `event e` that excludes internal kinds.
inline constexpr std::string_view kShownOutside = "e.kind LIKE '%.%'";

// A kind that clients see.
struct EventKind {
  std::string name;  // such as "contact.created"
  std::string description;
  json::Schema data;
};

const std::vector<EventKind>& event_kinds();

// Returns nullptr if there is no such kind.
const EventKind* find_kind(std::string_view name);

// The scopes that a caller needs to read the data of events of these kinds: single kinds, groups
// such as `contact.*`, or a store's own kinds such as `custom.points`. No kinds: of all events.
std::vector<std::string> read_scopes(std::span<const std::string> kinds);

// The schema of an event as clients see it: `{id, kind, occurredAt, receivedAt, contactId, data}`.
json::Schema envelope_of(const EventKind& kind);

// The schema of a stream message, which adds the account: `{account, epoch, …}`.
json::Schema message_of(const EventKind& kind);

// All kinds, as clients or as the stream show them, as one JSON Schema (2020-12) document.
std::string event_schemas();
std::string message_schemas();

}  // namespace shopbell::events
