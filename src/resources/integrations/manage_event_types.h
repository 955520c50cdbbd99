// /manage/custom-event-types/: what may change of an event type that is there.
#pragma once

#include <vector>

#include "http/route.h"
#include "net/outside.h"

namespace shopbell::integrations {

std::vector<http::Route> manage_event_type_routes(const net::OutsideRules& outside);

}  // namespace shopbell::integrations
