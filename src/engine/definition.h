// Definition: one version of a workflow, compiled once. It never changes, so all lanes share it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/duration.h"
#include "base/uuid.h"
#include "engine/condition.h"
#include "engine/payload.h"
#include "engine/send_rules.h"

namespace shopbell::engine {

// An event that something waits for.
struct EventMatch {
  std::string kind;
  std::optional<Condition> where;
};

struct Schedule {
  std::chrono::minutes at{};
  std::string every;  // "once", "day", "week" or "month"
  std::string on;     // the date, the weekday or the day of the month
  bool in_store_zone = false;
  bool becomes_true = false;
  bool include_existing = false;
};

struct Trigger {
  std::string event;                 // empty for a schedule
  std::optional<Schedule> schedule;  // empty for an event
  std::optional<Condition> where;
  std::optional<Reference> key;
  std::optional<Reference> each;
  Duration age_max{.days = 1};
};

struct Reentry {
  enum class Mode { once, per_key, after_exit, always, restart };
  Mode mode = Mode::after_exit;
  bool until_exit = false;  // of restart: until the exit, not only until the first send
  std::optional<Duration> release_after;
  std::optional<Duration> cooldown;
};

struct Goal {
  EventMatch match;
  Duration within;
};

// The last edge of a run, and the edge that leads there.
inline constexpr int kEnd = -1;
struct Edge {
  std::string name;   // "next", "onTimeout", "cases.0"
  int target = kEnd;  // index of a node
};

struct Wait {
  std::optional<Duration> length;
  std::optional<Reference> days;
  std::optional<std::chrono::minutes> time;
  Weekdays weekdays = 0;
  std::optional<Reference> date;
  Duration offset;

  bool depends_on_zone() const {
    return time || date || days || (length && (length->months != 0 || length->days != 0));
  }
};
struct AwaitedEvent {
  EventMatch match;
  std::optional<Reference> product;
  std::optional<Reference> variant;
  std::int64_t release_per_unit = 0;  // 0: all that wait
};
// Edges: one for each event, then the timeout.
struct WaitForEvent {
  std::vector<AwaitedEvent> events;
  Duration timeout;
  bool since_start = false;
};
// Edges: one for each case, then `else`.
struct Branch {
  std::vector<Condition> cases;
};
// Edges: one for each part.
struct Split {
  std::vector<std::int64_t> weights;
  std::vector<bool> holdouts;
};
// Edges: next, onNotSent.
struct Email {
  std::string template_name;
  bool is_marketing = true;
  bool skips_at_cap = false;
};
// Edges: next, onFailed.
struct Webhook {
  std::string event_type;
  Payload data;
  bool requires_consent = false;
};
// Edges: next, onEmpty.
struct Coupon {
  std::string coupon_set;
  std::string variable;
  std::optional<Duration> valid_for;
  bool reuse = false;
  bool release_if_not_sent = false;
};
// Edges: next, onMissing.
struct Lookup {
  std::string type;  // "product", "variant" or "purchase"
  Reference id;
  std::string variable;
};
struct UpdateContact {
  Payload set;
};
struct EmitEvent {
  std::string kind;
  Payload payload;
};
struct Exit {};

struct Node {
  std::string id;
  std::variant<Wait, WaitForEvent, Branch, Split, Email, Webhook, Coupon, Lookup, UpdateContact,
               EmitEvent, Exit>
      what;
  std::vector<Edge> edges;
};

struct Definition {
  std::int64_t version = 1;
  Trigger trigger;
  Reentry reentry;
  std::vector<EventMatch> exits;
  std::optional<Goal> goal;
  SendRules send_rules;
  std::vector<Node> nodes;                        // the first is the start
  std::map<std::string, int, std::less<>> index;  // of nodes, by id

  // Returns null if there is no such node.
  const Node* find(std::string_view id) const;
};

// The types that references are compiled with.
struct KnownTypes {
  ValueType contact;
  ValueType store;
  std::map<std::string, ValueType, std::less<>> events;  // by kind, as clients see them
};

// Compiles a definition that validation has accepted. Throws std::invalid_argument for others.
Definition compile(const json::Value& source, std::int64_t version, const KnownTypes& types);

// Compiles the members `quietHours` and `sendWindow` of a definition.
SendRules compile_send_rules(const json::Value& source);

// The kinds of events that the definition asks for: triggers, exits, goals, waits, outcomes.
std::set<std::string> awaited_kinds(const Definition& definition);

}  // namespace shopbell::engine
