// The operations under /manage/custom-event-types/: change an event type, rotate its secret.
#pragma once

#include <vector>

#include "net/outside.h"
#include "operations/operation.h"

namespace shopbell::integrations {

std::vector<operations::Operation> manage_event_type_routes(const net::OutsideRules& outside);

}  // namespace shopbell::integrations
