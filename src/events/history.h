// History: what happened to a contact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "base/uuid.h"
#include "pg/pool.h"

namespace shopbell::events {

struct HistoryPosition {
  Instant received_at;
  std::int64_t id = 0;
};

struct PastEvent {
  Uuid uid;
  std::string kind;
  Instant occurred_at;
  HistoryPosition position;
  Uuid contact_id;                     // at the time; it may have been merged since
  std::optional<std::string> payload;  // JSON; nothing once the contact was erased
};

// A page of it, and of which events.
struct HistoryPage {
  std::vector<Uuid> contacts;             // a contact, and every one merged into it
  std::vector<std::string> kinds;         // each once; none: all that are shown
  std::optional<Instant> from;            // received then or later
  std::optional<Instant> to;              // received before
  std::optional<HistoryPosition> behind;  // where the page before ended
  bool ascending = false;                 // else newest first
  std::int64_t limit = 0;
};

// What it costs depends on the page and on how many contacts and kinds there are, not on how far
// back it lies; only a look for a kind that is rare passes over the others, inside the index.
// Internal kinds are left out.
boost::asio::awaitable<std::vector<PastEvent>> list_history(pg::Pool& database, pg::Scope scope,
                                                            HistoryPage page);

}  // namespace shopbell::events
