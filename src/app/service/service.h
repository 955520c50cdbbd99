// Service: `shopbell run`. Puts the parts together: loops, database pools, key checks, servers;
// then waits for a signal, drains and stops.
#pragma once

#include "app/config/config.h"

namespace shopbell::app {

// Returns the exit code.
int run_service(const Config& config);

}  // namespace shopbell::app
