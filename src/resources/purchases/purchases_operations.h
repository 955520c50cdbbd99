// The operations on purchases.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::purchases {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::purchases
