// Run: one contact's way through one version of a workflow. Enrolment: what is remembered of a run
// after its end, so that the re-entry rules hold.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "engine/data.h"

namespace shopbell::engine {

enum class RunState {
  open,    // waits at its node
  held,    // arrived at its node while the workflow was paused; has not entered it yet
  parked,  // entering its node failed; an operator retries or ends the run
  done,    // at its end; only waits for its goal, or for the outcome of a message with its coupon
  ended,
};
std::string_view name_of(RunState state);

struct TrailStep {
  std::string node;
  std::string edge;  // the edge that was followed, such as "next"; empty: the run arrived
  Instant at;
  std::string cause;  // "event", "timer", "start", "restart", "command"
};

// A code that is released if no message with it was sent.
struct HeldCoupon {
  Uuid claim;
  std::string variable;
  bool sent = false;
};

struct Run {
  Uuid id;
  Uuid workflow;
  std::int64_t version = 1;
  std::string key;
  Data item;     // of `each`
  Data trigger;  // the event that started the run
  std::string schedule_date;
  RunState state = RunState::open;
  std::string node;  // the node's id, which stays the same in other versions
  Instant started_at;
  Instant node_since;
  std::optional<Instant> due_at;
  std::int64_t visits = 0;            // nodes entered so far: the number of the present visit
  std::optional<Uuid> message;        // the planned message that the run waits for
  std::optional<Uuid> delivery;       // the webhook delivery that the run waits for
  std::vector<std::string> subjects;  // the products that the run waits for, one for each event
  bool has_sent = false;
  bool converted = false;
  std::map<std::string, Data, std::less<>> variables;
  std::vector<HeldCoupon> coupons;
  std::set<std::pair<std::string, std::string>> seen;  // (node, edge) that this person has passed
  std::vector<TrailStep> trail;
  std::string why;  // the reason of `parked` and `ended`

  bool is_open() const { return state != RunState::done && state != RunState::ended; }
};

struct Enrolment {
  Uuid workflow;
  std::string key;
  Uuid run;
  Instant started_at;
  std::optional<Instant> ended_at;
  std::set<std::pair<std::string, std::string>> seen;
};

}  // namespace shopbell::engine
