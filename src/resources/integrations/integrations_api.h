// /custom-integrations/, the event types below it, and /manage/custom-event-types/
#pragma once

#include <vector>

#include "http/route.h"

namespace shopbell::integrations {

std::vector<http::Route> routes();

}  // namespace shopbell::integrations
