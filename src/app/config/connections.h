// The number of PostgreSQL connections of a process with this configuration.
#pragma once

#include <cstddef>

#include "app/config/config.h"

namespace shopbell::app {

// The number of loops that serve requests.
std::size_t loops_of(const Config& config);

// Connections for the event log's readers: reads, and concurrent commits.
std::size_t log_connections(const Config& config);

struct Connections {
  std::size_t standing;  // open during the whole run
  std::size_t most;      // with those opened on demand, and one for a command
};
Connections connections_of(const Config& config);

}  // namespace shopbell::app
