// The routes of the public listener: all operations and the documentation pages.
#pragma once

#include <string>
#include <vector>

#include "http/wire/route.h"
#include "net/outside.h"
#include "resources/custom_events/event_queue.h"

namespace shopbell::app {

// `base_path` is the prefix of all URL paths; links in the documentation pages include it.
std::vector<http::Route> public_routes(const std::string& base_path,
                                       const net::OutsideRules& outside,
                                       custom_events::EventQueue* queue);

}  // namespace shopbell::app
