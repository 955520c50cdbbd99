// Custom events in the database: the only place that names their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/event_intake.h"

namespace shopbell::custom_events {

// Writes what is plain of them, and says of each what it is. When the database refuses them
// together they are tried in halves, so that only the one it means is refused.
boost::asio::awaitable<std::vector<Taken>> take_events(pg::Pool& database, pg::Scope scope,
                                                       std::int64_t types_version,
                                                       std::vector<const CustomEvent*> events);

// The same as a part of a transaction, which ends when the database refuses one of them.
boost::asio::awaitable<std::vector<Taken>> take_events(pg::Transaction& transaction,
                                                       std::int64_t account,
                                                       std::int64_t types_version,
                                                       std::vector<const CustomEvent*> events);

// An event of the same id.
struct EventClaim {
  std::string content_hash;
  Receipt receipt;
};
void read_claim(pg::Group& reads, std::int64_t account, const CustomEvent& event);
std::optional<EventClaim> found_claim(const pg::Result& result);
boost::asio::awaitable<std::optional<EventClaim>> find_claim(pg::Pool& database, pg::Scope scope,
                                                             const CustomEvent& event);

// The claim on its id, guarded, and the event itself.
void write_event(pg::Group& effect, std::int64_t account, const CustomEvent& event,
                 const contacts::Contact& contact, Instant now);

}  // namespace shopbell::custom_events
