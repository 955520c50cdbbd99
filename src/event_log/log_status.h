// Status of the log and commands to it, for the operator.
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
  double silent_s = 0;  // seconds since the process's last heartbeat
  bool alive = false;
  bool makes_ticks = false;
  std::int64_t groups = 0;  // groups of lanes that the process holds, over all readers
  std::vector<std::int64_t> keyring_keys;  // empty if its release does not report them
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
// Returns the latest parked events.
boost::asio::awaitable<std::vector<Parked>> list_parked(pg::Pool& database, std::int64_t limit);
// Deletes the reader's parked events, and returns how many there were.
boost::asio::awaitable<std::int64_t> forget_parked(pg::Transaction& transaction,
                                                   std::string reader);

// Deletes a reader. Returns how many groups of lanes it had, 0 if there is no such reader. A reader
// that is still configured restarts from now.
boost::asio::awaitable<std::int64_t> drop_reader(pg::Transaction& transaction, std::string reader);
// Makes the next tick start a new epoch. Returns the number of the database's incarnation.
boost::asio::awaitable<std::int64_t> begin_epoch(pg::Transaction& transaction);

// Passes every event from now on to `take`, in log order, until it returns false.
boost::asio::awaitable<void> follow(pg::Pool& database, std::function<bool(const Entry&)> take);

}  // namespace shopbell::event_log
