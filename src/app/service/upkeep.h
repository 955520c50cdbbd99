// Upkeep: what any running process does now and then so that the database stays small. Several may
// do it at once; each takes what the others have not locked.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"

namespace shopbell::app {

// Makes the event table's next partitions and drops those too old; true when events can be written
// now. For the worker's connection.
boost::asio::awaitable<bool> keep_event_partitions(pg::Pool& database);

// Goes on until the loop ends; the partitions are taken to have been seen to at the start. For the
// worker's connection.
boost::asio::awaitable<void> keep_up(pg::Pool& database);

}  // namespace shopbell::app
