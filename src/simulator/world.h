// World: the database of the simulated service, in memory, and its clock. Its tables hold what is
// committed, and beside it the locks of open transactions.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "automation/lane_store.h"
#include "event_log/lane_timers.h"
#include "event_log/log_store.h"

namespace shopbell::simulator {

using automation::ContactKey;
using event_log::Entry;
using event_log::Position;

inline constexpr std::int64_t kAccount = 1;

// What the run removes: see docs/testing.md.
enum class Mechanism {
  none,
  fence,                 // a transaction requires its process to be the owner of its lanes
  enrolment_constraint,  // one enrolment per contact, workflow and key
  message_id,            // a message's id is unique
  run_number,            // a write requires the run as it was read
  look_back_bound,       // history ends at the position of the lanes
  version_pin,           // a run keeps its version
  timer_gate,            // timers wait for the events up to their due time
  timer_mark,            // no timer is armed behind the last one that fired
  fresh_definitions,     // no step uses definitions that are older than its events
};

// A rule that does not hold. It is no std::exception, so that no handler takes it for a fault.
struct Violation {
  std::string what;
  std::optional<Uuid> contact;
};
// The process dies at this point.
struct Crash {};
// PostgreSQL refuses the transaction.
struct Refused {
  std::string why;
};

struct LogEvent {
  Entry entry;
  bool is_committed = false;
  std::int64_t shown = 0;  // the first tick that shows it; 0: none yet
  Instant clock_most;      // the latest time of the clock when it was committed
};

struct Contact {
  std::string json;
  std::optional<Uuid> merged_into;
  bool exists = true;
  bool is_locked = false;
  std::int64_t changes = 0;  // transactions that changed its runs
};

struct Message {
  Uuid id;
  ContactKey owner;
  Uuid workflow;
  Uuid run;
  std::string node;
  std::string template_name;
  std::int64_t hops = 0;
  std::string state = "planned";
  std::string reason;
  int ends = 0;  // how often it ended
  bool is_locked = false;
};

struct Code {
  std::string code;
  std::optional<Uuid> claim;
  bool is_locked = false;
};

struct Owner {
  int process = -1;
  std::int64_t generation = 0;
  int locks = 0;  // open transactions behind the fence
};

struct Published {
  std::string source;
  std::shared_ptr<const engine::Definition> compiled;
};
struct WorkflowRow {
  std::int64_t active_version = 0;
  bool is_paused = false;
  Instant activated_at;
  std::map<std::int64_t, Published> versions;
};

using Rows = std::map<Uuid, automation::StoredRun>;
using Waits = std::set<std::tuple<std::string, Instant, Uuid>>;

struct Tables {
  std::map<ContactKey, Contact> contacts;
  std::map<ContactKey, Rows> runs;
  std::map<ContactKey, std::vector<automation::StoredEnrolment>> enrolments;
  std::map<ContactKey, std::vector<automation::EndedRun>> history;
  std::map<std::tuple<std::int16_t, Instant, Uuid>, ContactKey> timers;
  Waits waits;
  std::multimap<Uuid, Message> messages;
  std::map<std::string, std::vector<Code>> codes;  // by coupon set
  std::map<automation::Counter, std::int64_t> counts;
  std::map<Uuid, WorkflowRow> workflows;
  std::map<Uuid, ContactKey> deliveries;                // of webhooks, that have not ended
  std::deque<LogEvent> events;                          // the event with the id n is at n - 1
  std::map<Uuid, std::vector<std::int64_t>> events_of;  // ids, by contact
  std::vector<Instant> ticks;                           // their times
  std::map<std::int16_t, Owner> owners;
  std::map<std::int16_t, Position> positions;
};

class World {
 public:
  explicit World(Instant start);

  Tables tables;
  // A product whose waiting runs were woken: its event, and the tick that showed it.
  struct Woken {
    std::string subject;
    Instant at;
    std::int64_t shown = 0;
  };
  std::vector<Woken> woken;
  std::int64_t interest = 1;  // the version of the definitions

  Instant now() const { return now_; }
  // The latest time that the clock has ever shown.
  Instant clock_most() const { return clock_most_; }
  // Lets time pass, or sets the clock forwards or backwards.
  void move_clock(std::chrono::microseconds by);

  Uuid new_id();

  // Draws an id for an event. It is visible once commit_event() was called and a tick was made.
  std::int64_t add_event(Entry entry);
  void commit_event(std::int64_t id);
  Entry event_of(const ContactKey& owner, std::string kind, std::string payload) const;
  LogEvent& event(std::int64_t id) { return tables.events[static_cast<std::size_t>(id - 1)]; }
  const std::vector<std::int64_t>& events_of(const Uuid& contact) const;
  void make_tick();
  std::int64_t newest_tick() const { return std::ssize(tables.ticks) - 1; }

  // The definitions as they are now, with all versions.
  engine::Workflows definitions() const;
  // Notes that the definitions have changed.
  void change_definitions();
  // The definitions of an earlier version.
  const engine::Workflows& definitions_at(std::int64_t version) const {
    return past_definitions_.at(version);
  }

  // The contact into which this one was merged at last, or itself.
  Uuid survivor_of(Uuid contact) const;
  std::vector<Uuid> merged_into(const Uuid& contact) const;

 private:
  Instant now_;
  Instant clock_most_;
  std::int64_t ids_ = 0;
  std::vector<std::int64_t> unseen_;  // events that no tick shows
  std::map<std::int64_t, engine::Workflows> past_definitions_;
};

}  // namespace shopbell::simulator
