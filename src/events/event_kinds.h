// Kinds of events: what can happen, and what is told about it. `shopbell events` prints the table
// as JSON Schema; docs/api/events.json is made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/schema.h"

namespace shopbell::events {

// Kinds without a dot are between parts of the service: commands, and what is handed on from one
// contact to another. No list, file, report or webhook shows them.
inline constexpr std::string_view kHandover = "handover";  // the contact is part of another now
constexpr bool is_internal(std::string_view kind) { return !kind.contains('.'); }
// The same for a condition in SQL, of `event e`.
inline constexpr std::string_view kShownOutside = "e.kind LIKE '%.%'";

// Those that are shown.
struct EventKind {
  std::string name;  // "contact.created"
  std::string description;
  json::Schema data;
};

const std::vector<EventKind>& event_kinds();

// Nothing when there is no such kind.
const EventKind* find_kind(std::string_view name);

// An event of the kind as it is seen outside: `{id, kind, occurredAt, receivedAt, contactId,
// data}`.
json::Schema envelope_of(const EventKind& kind);

// The same as a message of the stream, which says whose it is: `{account, epoch, …}`.
json::Schema message_of(const EventKind& kind);

// All of them, in the one form or the other, as one JSON Schema (2020-12) document.
std::string event_schemas();
std::string message_schemas();

}  // namespace shopbell::events
