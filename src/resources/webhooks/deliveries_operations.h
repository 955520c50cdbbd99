// The operations on webhook deliveries: list, test, redeliver and replay.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::webhooks {

std::vector<operations::Operation> delivery_routes();

}  // namespace shopbell::webhooks
