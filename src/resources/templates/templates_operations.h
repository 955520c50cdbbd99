// The operations under /manage/templates/.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::templates {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::templates
