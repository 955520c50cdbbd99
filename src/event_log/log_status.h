// What an operator asks of the log and tells it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "event_log/log_store.h"
#include "pg/pool.h"

namespace shopbell::event_log {

struct ProcessStatus {
  Uuid process;
  std::string version;
  Instant started_at;
  double silent_s = 0;  // since its last heartbeat
  bool alive = false;
  bool makes_ticks = false;
  std::int64_t groups = 0;  // of lanes, of all readers
};

struct NewestTick {
  std::int64_t tick = 0;
  std::int64_t epoch = 0;
  Instant at;
  std::int64_t last_id = 0;
};

struct Status {
  std::optional<NewestTick> newest;
  std::vector<ProcessStatus> processes;
  std::map<std::string, Lag> readers;
};
boost::asio::awaitable<Status> read_status(pg::Pool& database);

struct Parked {
  std::int64_t account = 0;
  std::string reader;
  Uuid uid;
  std::string kind;
  std::string reason;
  Instant parked_at;
};
// The latest.
boost::asio::awaitable<std::vector<Parked>> list_parked(pg::Pool& database, std::int64_t limit);
// How many events of the reader are not kept aside any more.
boost::asio::awaitable<std::int64_t> forget_parked(pg::Pool& database, std::string reader);

// The groups of lanes it had: none when there is no such reader. One that processes still have
// begins anew, with what happens then.
boost::asio::awaitable<std::int64_t> drop_reader(pg::Pool& database, std::string reader);
// The next tick begins another epoch.
boost::asio::awaitable<void> begin_epoch(pg::Pool& database);

// Every event from now on, in the order of the log, until `take` says false.
boost::asio::awaitable<void> follow(pg::Pool& database, std::function<bool(const Entry&)> take);

}  // namespace shopbell::event_log
