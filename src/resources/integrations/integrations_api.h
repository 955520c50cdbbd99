// /custom-integrations/, the event types below it, and /manage/custom-event-types/
#pragma once

#include <vector>

#include "http/route.h"
#include "net/outside.h"

namespace shopbell::integrations {

// `outside` is what types that send may name.
std::vector<http::Route> routes(const net::OutsideRules& outside);

}  // namespace shopbell::integrations
