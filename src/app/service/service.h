// Service: implements `shopbell run`. Creates loops, database pools, key checks and servers, waits
// for a signal, then drains and stops.
#pragma once

#include "app/config/config.h"

namespace shopbell::app {

// Runs the service until a signal stops it. Returns the exit code.
int run_service(const Config& config);

}  // namespace shopbell::app
