// The operations on custom events.
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::custom_events {

std::vector<http::Route> routes();

}  // namespace shopbell::custom_events
