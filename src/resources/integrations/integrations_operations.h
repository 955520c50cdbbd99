// /custom-integrations/, the event types below it, and /manage/custom-event-types/
#pragma once

#include <vector>

#include "net/outside.h"
#include "operations/operation.h"

namespace shopbell::integrations {

// `outside` limits the hosts that event types may send to.
std::vector<operations::Operation> operation_table(const net::OutsideRules& outside);

}  // namespace shopbell::integrations
