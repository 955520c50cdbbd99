// EventIntake: writes the custom events of many requests in one statement. While an account's
// statement runs, new requests wait and share the next one and its commit. An idle service adds no
// delay. Events that need special handling are returned to their caller, so that they do not slow
// down the batch.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/custom_events/custom_event.h"

namespace shopbell::custom_events {

enum class Outcome {
  taken,
  claimed,  // an event with the same eventId exists
  person,   // the contact is new, ambiguous or was erased: use write_alone()
  types,    // the event types have changed: validate again
};

struct Taken {
  Outcome outcome = Outcome::types;
  Uuid contact_id;
  Instant received_at;
};

class EventIntake {
 public:
  // Returns one result per event, in order. Throws the database's error. The events were validated
  // by the definitions of `types_version`.
  boost::asio::awaitable<std::vector<Taken>> take(pg::Pool& database, pg::Scope scope,
                                                  std::int64_t types_version,
                                                  std::vector<CustomEvent> events);

 private:
  struct Waiter;
  struct Queue;
  using Key = std::pair<pg::Pool*, std::int64_t>;  // (pool of the event loop, account)

  static boost::asio::awaitable<void> serve(std::shared_ptr<Queue> queue);
  std::shared_ptr<Queue> queue_of(pg::Pool& database, std::int64_t account);

  std::mutex mutex_;  // guards the map; each queue is used by one event loop only
  std::map<Key, std::weak_ptr<Queue>> queues_;
};

}  // namespace shopbell::custom_events
