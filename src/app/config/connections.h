// How many connections to PostgreSQL a process of this configuration has.
#pragma once

#include <cstddef>

#include "app/config/config.h"

namespace shopbell::app {

// The loops that serve requests.
std::size_t loops_of(const Config& config);

// What readers of the log read, and meanwhile commit.
std::size_t log_connections(const Config& config);

struct Connections {
  std::size_t standing;  // from its start to its end
  std::size_t most;      // with all that are opened when first needed, and a command beside it
};
Connections connections_of(const Config& config);

}  // namespace shopbell::app
