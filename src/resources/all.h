// Every slice of the interface.
#pragma once

#include <string>
#include <vector>

#include "http/route.h"
#include "net/outside.h"
#include "resources/custom_events/event_queue.h"

namespace shopbell::resources {

// `base_path` is where they hang, for the document that describes them; `outside` is what the
// operator lets addresses name to which things are sent; `queue` is there where events can go
// through Kafka.
std::vector<http::Route> all_routes(const std::string& base_path,
                                    const net::OutsideRules& outside = {},
                                    custom_events::EventQueue* queue = nullptr);

// Every scope a key can have: those the routes ask for.
std::vector<std::string> all_scopes();

}  // namespace shopbell::resources
