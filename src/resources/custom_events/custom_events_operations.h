// The operations on custom events.
#pragma once

#include <vector>

#include "operations/operation.h"
#include "resources/custom_events/event_queue.h"

namespace shopbell::custom_events {

// `queue` is null if Kafka is not configured.
std::vector<operations::Operation> operation_table(EventQueue* queue = nullptr);

}  // namespace shopbell::custom_events
