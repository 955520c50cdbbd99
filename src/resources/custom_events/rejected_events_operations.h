// The operations on rejected events: queued events that could not be written.
#pragma once

#include <vector>

#include "operations/operation.h"
#include "resources/custom_events/event_writing.h"

namespace shopbell::custom_events {

std::vector<operations::Operation> rejected_event_routes(const Memory& memory);

}  // namespace shopbell::custom_events
