// The operations under /workflows/ and /manage/workflows/.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::workflows {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::workflows
