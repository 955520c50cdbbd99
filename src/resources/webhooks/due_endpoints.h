// DueEndpoints: the endpoints that have due deliveries, as far as this process knows, and how they
// answered. It decides which of them to poll.
//
// The database stores the next due time of every endpoint. A sender finds the endpoints whose time
// has come, keeps them while they have due deliveries, and advances their times now and then. So a
// poll costs as much as is due, and starts behind the dead rows of earlier deliveries.
//
// An endpoint that keeps failing gets one attempt at a time, with growing pauses in between.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/webhooks/delivery.h"
#include "runtime/wait.h"

namespace shopbell::webhooks {

// An endpoint in the database, with its next due time.
struct FoundEndpoint {
  std::int64_t account = 0;
  Uuid webhook_id;
  Instant next_due_at;
  bool is_failing = false;
};
// Finds the endpoints whose next due time has come, within the last `window`.
boost::asio::awaitable<std::vector<FoundEndpoint>> find_due_endpoints(pg::Pool& database,
                                                                      std::chrono::seconds window);

// A window for find_due_endpoints() that covers all due endpoints.
inline constexpr std::chrono::seconds kAnyTime = std::chrono::years{20};

// The next due time of an endpoint after it was advanced.
struct NextDue {
  Uuid webhook_id;
  std::optional<Instant> at;  // nullopt: nothing is pending
  bool is_due = false;
};
boost::asio::awaitable<std::vector<NextDue>> advance_next_due(
    pg::Pool& database, std::span<const DueEndpoint> endpoints);

class DueEndpoints {
 public:
  using Time = runtime::Steady::time_point;

  void add(std::span<const FoundEndpoint> found, Time now);
  // Returns the endpoints to poll now. If there are too many, it selects those that were polled
  // longest ago. The endpoints that were served longest ago come first. Adds to the load of failing
  // endpoints, which reduces their concurrency.
  std::vector<DueEndpoint> for_poll(Load& load, Time now);
  // Like for_poll(), but only for accounts that have nothing in flight.
  std::vector<DueEndpoint> for_poll_of_idle_accounts(Load& load, Time now);
  // Records claimed deliveries: the next poll starts after them.
  void claimed(std::span<const Delivery> deliveries, Time now);
  void answered(const Outcome& outcome, Time now);

  // Returns the endpoints whose next due time was not advanced for a while.
  std::vector<DueEndpoint> to_advance(Time now) const;
  // Records the advanced times, and forgets endpoints that have nothing due.
  void advanced(std::span<const NextDue> endpoints, Time now);

  // Return the number of endpoints that answer, and those whose deliveries have waited longest.
  std::size_t answering() const;
  std::vector<DueEndpoint> longest_waiting(std::size_t most) const;

 private:
  struct Known {
    std::int64_t account = 0;
    Instant next_due_at;
    Time polled_at;
    Time served_at;  // when deliveries were last claimed
    Time advanced_at;
    std::int64_t failures = 0;  // number of failures in a row
    Time paused_until;          // end of the pause after many failures

    bool is_failing() const { return failures > 0; }
  };
  std::vector<DueEndpoint> choose(Load& load, Time now, bool only_idle_accounts);
  static DueEndpoint due(const Uuid& webhook, const Known& known);

  std::map<Uuid, Known> known_;
};

}  // namespace shopbell::webhooks
