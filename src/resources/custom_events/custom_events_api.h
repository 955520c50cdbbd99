// The operations on custom events.
#pragma once

#include <vector>

#include "http/route.h"
#include "resources/custom_events/event_queue.h"

namespace shopbell::custom_events {

// `queue` is there where events can go through Kafka.
std::vector<http::Route> routes(EventQueue* queue = nullptr);

}  // namespace shopbell::custom_events
