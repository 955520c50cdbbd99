// Reader: a function from a batch of events to statements. The log calls it with events in order
// per contact, and commits its statements together with the new position. So every event has its
// effect exactly once, even if a process dies. A new reader is one file, and one line where the
// process is assembled.
//
// A reader that must read rows before it decides is a coroutine inside that transaction (`react`).
// It may have timers, which fire after all events up to their due time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "base/uuid.h"
#include "pg/group.h"
#include "pg/pool.h"

namespace shopbell::event_log {

// An event as a reader sees it.
struct Entry {
  std::int64_t account = 0;
  std::int64_t epoch = 0;  // epoch of the log
  std::int64_t id = 0;     // position in the log's order
  Uuid uid;                // public id
  std::int16_t lane = 0;
  std::optional<Uuid> contact_id;
  std::optional<std::int64_t> contact_seq;
  std::optional<std::string> subject;
  std::string kind;
  Instant occurred_at;
  Instant received_at;
  std::string trigger;                 // "all", "exits" or "none"
  std::int64_t hops = 0;               // length of the chain of events that caused it
  std::optional<std::string> payload;  // JSON; nullopt if erased, or if the reader needs none
};

constexpr std::int16_t group_of(const Entry& entry) {
  return static_cast<std::int16_t>(entry.lane >> 4);
}

// A reader's objection to events. A single event that is objected to is parked.
struct Objection : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An external effect that has started; it has completed when `happens` returns.
struct Begun {
  boost::asio::awaitable<void> happens;
};

// A moment at which something of a contact is due.
struct Timer {
  std::int16_t group = 0;
  Instant due_at;
  Uuid owner;  // what is due
  std::int64_t account = 0;
  Uuid contact;
};

// The input of one transaction of `react`: events, or timers.
struct Work {
  std::vector<const Entry*> entries;  // in order
  std::vector<Timer> timers;
  // All events that this tick shows are processed. If there are entries, the events that the tick
  // `through` shows precede an entry if their ids are smaller.
  std::int64_t tick = 0;
  std::optional<std::int64_t> through;
  Instant now;  // of timers: the time of the tick; all of them are due
  // A timer that is armed earlier than this would not be found. By group.
  std::map<std::int16_t, Instant> arm_from;
  // Set if this single input failed before, with the reason. The reader notes it where it belongs
  // and has no other effect.
  std::optional<std::string> objection;
};

// What a transaction of `react` ends with.
struct Reacted {
  pg::Group writes;
  std::map<std::int16_t, Instant> armed;  // the earliest timer that it armed, by group
};

// Thrown by `react` if it must not wait for these groups of lanes: they are tried again later, and
// the others go on.
struct Busy {
  std::vector<std::int16_t> groups;
};

struct Reader {
  std::string name;
  // True if the reader needs payloads: reading them is most of the cost of a batch.
  bool payloads = false;
  // True if the reader acts for some accounts only: those that `accounts_of_reader` in the database
  // returns. Events of other accounts are not read.
  bool some_accounts = false;
  // Adds the statements for these events, in order. They run after the fence, in one transaction
  // with the new position, as the worker role. If this function or PostgreSQL objects to a single
  // event, the event is parked.
  std::function<void(std::span<const Entry>, pg::Group&)> effect = {};
  // Starts an external effect, instead of adding statements; throws Objection before anything has
  // started. The next call may come before this effect has completed. The next effect must follow
  // this one, and must not happen if this one fails. On any other exception, or if the process dies
  // or loses its lanes, the same events come again: delivery is at least once.
  std::function<Begun(std::span<const Entry>)> outside = {};
  // A coroutine inside the transaction, instead of `effect`. `opening` begins with the fence, which
  // returns no result. The coroutine adds its first queries to `opening`, runs it, and returns the
  // last statements; the log adds the new position and commits.
  std::function<boost::asio::awaitable<Reacted>(pg::Transaction&, pg::Group opening, const Work&)>
      react = {};
  // True if the reader has timers, in the table `timer`. Requires `react`.
  bool timers = false;
  // Into how many pipelines a process divides its groups of lanes: a slow group delays only those
  // of its pipeline.
  int pipelines = 1;
  // Called after a commit with effects, so that their consumers need not wait for the next poll.
  std::function<void()> committed = {};
};

}  // namespace shopbell::event_log
