// Run: one contact's way through a workflow, as operators see it. The lanes write runs; a caller
// changes one by a command, which the lanes apply within seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::runs {

struct Step {
  std::string node;
  std::optional<std::string> edge;  // the edge that the run followed; nullopt: it arrived
  Instant at;
  std::string cause;  // "start", "event", "timer", "restart" or "command"
};

struct Message {
  std::string id;
  std::optional<std::string> node;
  std::string template_name;
  std::string message_class;
  std::string state;
  std::optional<std::string> reason;
  Instant planned_at;
  std::optional<Instant> due_at;
  std::optional<Instant> ended_at;
};

struct Run {
  Uuid id;
  Uuid workflow;
  Uuid contact;
  std::int64_t version = 1;
  std::string state;  // "open", "held", "parked", "done" or "ended"
  std::string node;
  std::optional<std::string> key;
  Instant started_at;
  std::optional<Instant> node_since;
  std::optional<Instant> due_at;
  std::optional<Instant> ended_at;
  bool converted = false;
  std::optional<std::string> why;
  std::vector<Step> trail;  // only of a run that is read alone, like the messages
  std::vector<Message> messages;
};

// Reads the steps of a stored trail: one "node\tedge\tmicroseconds\tcause" a line. A long trail has
// lost its beginning, and with it a part of its first line.
std::vector<Step> steps_of(std::string_view trail);

// The longest trail that is stored, in characters.
inline constexpr std::size_t kTrailCharacters = 8000;

// The time in the run's id: no row of the run is older.
Instant time_of(const Uuid& run);
// The lowest id of that time.
Uuid lowest_id(const Uuid& run);

}  // namespace shopbell::runs
