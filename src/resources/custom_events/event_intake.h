// EventIntake: custom events of many requests in one statement. While one of an account is under
// way, what comes waits for the next: under load many callers share it, and its commit, and an idle
// service adds no wait. What is not plain is handed back to be looked at alone, and nobody is kept
// back by another's trouble.
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
  claimed,  // an event of the same id is there already
  person,   // who it is about needs a closer look
  types,    // the event types changed meanwhile
};

struct Taken {
  Outcome outcome = Outcome::types;
  Uuid contact_id;
  Instant received_at;
};

class EventIntake {
 public:
  // One result for each, in their order; throws what the database says when it cannot.
  // `types_version` is that of the definitions they were judged by.
  boost::asio::awaitable<std::vector<Taken>> take(pg::Pool& database, pg::Scope scope,
                                                  std::int64_t types_version,
                                                  std::vector<CustomEvent> events);

 private:
  struct Waiter;
  struct Queue;
  using Key = std::pair<pg::Pool*, std::int64_t>;  // a loop's pool, an account

  static boost::asio::awaitable<void> serve(std::shared_ptr<Queue> queue);
  std::shared_ptr<Queue> queue_of(pg::Pool& database, std::int64_t account);

  std::mutex mutex_;  // of the map; a queue belongs to one loop
  std::map<Key, std::weak_ptr<Queue>> queues_;
};

}  // namespace shopbell::custom_events
