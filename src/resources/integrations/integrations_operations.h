// The operations under /custom-integrations/ and /manage/custom-event-types/.
#pragma once

#include <vector>

#include "net/outside.h"
#include "operations/operation.h"

namespace shopbell::integrations {

// `outside` restricts the hosts to which event types may send.
std::vector<operations::Operation> operation_table(const net::OutsideRules& outside);

}  // namespace shopbell::integrations
