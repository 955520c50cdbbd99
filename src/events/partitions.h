// Partitions of the event table: one per month, created ahead, and dropped when all of its events
// are too old.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"

namespace shopbell::events {

struct PartitionUpkeep {
  std::vector<std::string> made;
  std::vector<std::string> dropped;
  bool covered = false;  // the current month has a partition, so events can be appended
  // Months after the current one that have a partition, up to the first that has none.
  std::int64_t months_ahead = 0;
};

// Runs on the worker's connection; any process may call it at any time. Work that another process
// is doing, or that cannot get its lock at once, is left for the next call.
boost::asio::awaitable<PartitionUpkeep> keep_partitions(pg::Pool& database);

}  // namespace shopbell::events
