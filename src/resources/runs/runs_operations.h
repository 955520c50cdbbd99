// The operations under /manage/runs/.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::runs {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::runs
