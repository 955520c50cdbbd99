// Custom events in the database. Only this file's implementation uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/custom_events/custom_event.h"
#include "resources/custom_events/event_intake.h"

namespace shopbell::custom_events {

// Writes the events that need no special handling, and returns an outcome for each event. If the
// database refuses the batch, it is bisected, so that only the offending event is refused.
boost::asio::awaitable<std::vector<Taken>> take_events(pg::Pool& database, pg::Scope scope,
                                                       std::int64_t types_version,
                                                       std::vector<const CustomEvent*> events);

// A queued event, validated by the definitions of `types_version`.
struct ValidatedEvent {
  std::int64_t account = 0;
  std::int64_t types_version = 0;
  const CustomEvent* event = nullptr;
};
// Like take_events(), for events of many accounts, in one round trip of the transaction: if the
// database refuses one event, all of it fails. Sort the events by account, so that concurrent
// transactions claim their eventIds in the same order.
boost::asio::awaitable<std::vector<Outcome>> take_queued_events(
    pg::Transaction& transaction, std::span<const ValidatedEvent> events);

// A stored event with the same eventId.
struct EventClaim {
  std::string content_hash;
  Receipt receipt;
};
void read_claim(pg::Group& reads, std::int64_t account, const CustomEvent& event);
std::optional<EventClaim> found_claim(const pg::Result& result);
boost::asio::awaitable<std::optional<EventClaim>> find_claim(pg::Pool& database, pg::Scope scope,
                                                             const CustomEvent& event);

// Writes the event and claims its eventId; the group fails if another event has the eventId.
void write_event(pg::Group& effect, std::int64_t account, const CustomEvent& event,
                 const contacts::Contact& contact, Instant now);

}  // namespace shopbell::custom_events
