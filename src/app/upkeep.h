// Upkeep: what any running process does now and then so that the database stays small. Several may
// do it at once; each takes what the others have not locked.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"

namespace shopbell::app {

// Goes on until the loop ends. For the worker's connection.
boost::asio::awaitable<void> keep_up(pg::Pool& database);

}  // namespace shopbell::app
