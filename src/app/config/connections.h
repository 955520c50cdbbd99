// Calculates how many PostgreSQL connections a process with this configuration opens.
#pragma once

#include <cstddef>

#include "app/config/config.h"

namespace shopbell::app {

// The number of event loops that serve requests.
std::size_t loops_of(const Config& config);

// The number of connections that the event log's readers use for reads and concurrent commits.
std::size_t log_connections(const Config& config);

struct Connections {
  std::size_t standing;  // connections open during the whole run
  std::size_t most;      // upper bound, with those opened on demand and by a command
};
Connections connections_of(const Config& config);

}  // namespace shopbell::app
