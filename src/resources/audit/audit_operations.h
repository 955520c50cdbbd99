// The operation that reads the account's audit trail.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::audit {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::audit
