// The operations on events that were queued and rejected.
#pragma once

#include <vector>

#include "http/route.h"
#include "resources/custom_events/event_writing.h"

namespace shopbell::custom_events {

std::vector<http::Route> rejected_event_routes(const Memory& memory);

}  // namespace shopbell::custom_events
