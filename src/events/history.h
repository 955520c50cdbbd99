// History: the events of a contact.
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
  Uuid contact_id;                     // the contact at that time; it may have been merged since
  std::optional<std::string> payload;  // JSON; nullopt once the contact was erased
};

// A page of the history, and its filters.
struct HistoryPage {
  std::vector<Uuid> contacts;             // a contact, and all contacts merged into it
  std::vector<std::string> kinds;         // kinds, each once; empty: all that are not internal
  std::optional<Instant> from;            // only events received then or later
  std::optional<Instant> to;              // only events received before this time
  std::optional<HistoryPosition> behind;  // end of the previous page
  bool ascending = false;                 // oldest first; otherwise newest first
  std::int64_t limit = 0;
};

// Returns a page of the history, without internal kinds. The cost depends on the size of the page
// and the number of contacts and kinds, not on the age of the events. Only a search for a rare kind
// has to skip events of other kinds, which it does inside the index.
boost::asio::awaitable<std::vector<PastEvent>> list_history(pg::Pool& database, pg::Scope scope,
                                                            HistoryPage page);

}  // namespace shopbell::events
