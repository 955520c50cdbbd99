// Reader: a function from a batch of events to statements. The log calls it with what happened, in
// order per contact, and commits what it says together with how far it has come: so every event has
// its effect once, whoever dies when. Adding a reader is one file and a line where the process is
// put together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "base/uuid.h"
#include "pg/group.h"

namespace shopbell::event_log {

// An event as a reader sees it.
struct Entry {
  std::int64_t account = 0;
  std::int64_t epoch = 0;  // of the log
  std::int64_t id = 0;     // its place in the order
  Uuid uid;                // the id outside
  std::int16_t lane = 0;
  std::optional<Uuid> contact_id;
  std::optional<std::int64_t> contact_seq;
  std::optional<std::string> subject;
  std::string kind;
  Instant occurred_at;
  Instant received_at;
  std::string trigger;                 // all, exits, none
  std::optional<std::string> payload;  // JSON; nothing once the contact was erased, or unasked for
};

constexpr std::int16_t group_of(const Entry& entry) {
  return static_cast<std::int16_t>(entry.lane >> 4);
}

// What a reader has against events. One alone is then parked.
struct Objection : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// An effect elsewhere that has begun, and has happened when this has.
struct Begun {
  boost::asio::awaitable<void> happens;
};

struct Reader {
  std::string name;
  // Whether it looks at payloads: reading them is most of what a batch costs.
  bool payloads = false;
  // Whether it acts for some accounts only, those that `accounts_of_reader` in the database names:
  // the events of others are not read.
  bool some_accounts = false;
  // Adds the statements that are the effect of these events, in their order. They stand behind the
  // fence, in one transaction with the new position, with the rights of the worker. Whatever it or
  // PostgreSQL says against one event alone parks that event.
  std::function<void(std::span<const Entry>, pg::Group&)> effect = {};
  // Begins an effect elsewhere, instead of statements; throws Objection before anything has begun.
  // The next call may come before it has happened: what that begins must then come behind this, and
  // not at all where this fails. When either throws anything else, the same events come again; also
  // when the process dies meanwhile, or has lost its lanes. So it happens at least once.
  std::function<Begun(std::span<const Entry>)> outside = {};
  // Called after a commit that had effects: whoever acts on them need not wait for its poll.
  std::function<void()> committed = {};
};

}  // namespace shopbell::event_log
