// Upkeep: periodic cleanup of the database. Several processes may run it at once; each skips rows
// that the others have locked.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"

namespace shopbell::app {

// Creates the event table's next partitions and drops expired ones. Returns true if events can be
// written now. Needs the worker role.
boost::asio::awaitable<bool> keep_event_partitions(pg::Pool& database);

// Runs all chores periodically until the loop ends. Call keep_event_partitions() before. Needs the
// worker role.
boost::asio::awaitable<void> keep_up(pg::Pool& database);

}  // namespace shopbell::app
