// The pure step of a run: input → new run + actions. It has no clock, no I/O and no randomness; the
// same input gives the same result, so a batch can be repeated after a crash.
//
// A result with needs is void: the caller adds the facts and repeats the step with the run as it
// was before.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/uuid.h"
#include "engine/definition.h"
#include "engine/facts.h"
#include "engine/run.h"

namespace shopbell::engine {

// Events that workflows cause may cause further ones, up to this length of the chain.
inline constexpr int kHopsMost = 8;
// Nodes that a run may enter in one step. Validation refuses cycles without a wait.
inline constexpr int kNodesPerStep = 1000;

// The internal event that ends a webhook delivery: data.deliveryId, data.delivered.
inline constexpr std::string_view kDeliveryEnded = "delivery-ended";

struct Event {
  Uuid uid;
  std::string kind;
  Data envelope;  // as clients see it: {id, kind, occurredAt, receivedAt, contactId, data}
  Instant occurred_at;
  Instant received_at;
  bool may_start = true;  // whether it may start runs and move them
  bool may_exit = true;   // whether it may end runs and count as a conversion
  std::set<Uuid> only{};  // the runs that see it; empty: all
  int hops = 0;
};

struct PlanMessage {
  Uuid id;
  Uuid run;
  std::string node;
  std::string template_name;
  bool is_marketing = true;
  bool skips_at_cap = false;
  int hops = 0;  // of the events of the message
};
struct SendWebhook {
  Uuid id;
  Uuid run;
  std::string event_type;
  std::string data;  // JSON
};
struct ChangeContact {
  Uuid run;
  std::string patch;  // JSON merge patch
  int hops = 0;       // of the events that the change causes
};
struct AppendEvent {
  Uuid run;
  std::string kind;
  std::string payload;  // JSON
  int hops = 0;
};
struct ReleaseCoupon {
  Uuid claim;
};
struct Convert {
  Uuid workflow;
  Uuid run;
};
// A person passed an edge of a node for the first time; no edge: reached the node. Without a node:
// the person entered the workflow, completed it, left it otherwise, or converted ("entered",
// "completed", "exited", "converted").
struct CountPerson {
  Uuid workflow;
  std::string node;
  std::string edge;
};
struct RefuseStart {
  Uuid workflow;
  std::string reason;  // "noKey", "tooOld", "cooldown", "paused", "loop" or "reentry"
};
using Action = std::variant<PlanMessage, SendWebhook, ChangeContact, AppendEvent, ReleaseCoupon,
                            Convert, CountPerson, RefuseStart>;

struct StepContext {
  std::int64_t account = 0;
  Uuid contact_id;
  const Definition* definition = nullptr;  // the version of the run
  Data contact;
  Data store;
  Instant now;
  int hops = 0;         // of the event that is processed
  bool paused = false;  // the workflow is paused
  const Facts* facts = nullptr;
};

struct StepResult {
  Run run;
  Data contact;  // with the changes of this step
  std::vector<Action> actions;
  std::vector<Need> needs;
};

// Starts a new run at its first node.
StepResult start(const StepContext& context, Run run);
// Starts a run again with new trigger data, unless it has gone too far; then replaces the data
// only.
StepResult restart(const StepContext& context, Run run, const Event& event);
// Lets an event move the run, if its node waits for it.
StepResult take_event(const StepContext& context, Run run, const Event& event);
// Lets a due timer move the run. `context.now` is the time up to which timers are due.
StepResult take_timer(const StepContext& context, Run run);
// Notes the goal if the event is the run's first conversion.
StepResult take_goal(const StepContext& context, Run run, const Event& event);
// Ends the run if the event is one of its exits.
StepResult take_exit(const StepContext& context, Run run, const Event& event);
// Ends the run wherever it stands.
StepResult end(const StepContext& context, Run run, std::string why);
// Continues a held or parked run.
StepResult release(const StepContext& context, Run run);
// Moves the run to a node of another version, whose definition is in the context. A wait keeps its
// beginning. A run whose message a sender has claimed stays on its version.
StepResult move(const StepContext& context, Run run, std::string_view node);

// The end of the time in which a goal counts.
Instant goal_deadline(const StepContext& context, const Run& run);

}  // namespace shopbell::engine
