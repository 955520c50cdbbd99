// The operations of all slices.
#pragma once

#include <string>
#include <vector>

#include "net/outside.h"
#include "operations/operation.h"
#include "resources/custom_events/event_queue.h"

namespace shopbell::resources {

// `outside` restricts the addresses of webhooks. `queue` is set when events can be queued in Kafka.
std::vector<operations::Operation> all_operations(const net::OutsideRules& outside = {},
                                                  custom_events::EventQueue* queue = nullptr);

// Every scope a key can have: those that the operations require.
std::vector<std::string> all_scopes();

}  // namespace shopbell::resources
