// Partitions of the event table: one per month, made ahead and dropped when all in them is too old.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"

namespace shopbell::events {

struct PartitionUpkeep {
  std::vector<std::string> made;
  std::vector<std::string> dropped;
  bool covered = false;  // this month has one, so events can be appended
};

// For the worker's connection, from any process at any time. What another process is at, or what
// cannot be locked at once, is left for the next call.
boost::asio::awaitable<PartitionUpkeep> keep_partitions(pg::Pool& database);

}  // namespace shopbell::events
