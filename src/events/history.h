// History: what happened to a contact, newest first.
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

// Of a contact and every one merged into it, older than the position.
boost::asio::awaitable<std::vector<PastEvent>> list_history(pg::Pool& database, pg::Scope scope,
                                                            std::vector<Uuid> contacts,
                                                            std::optional<HistoryPosition> before,
                                                            std::int64_t limit);

}  // namespace shopbell::events
