// The operations under /store/ and /manage/store.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::store {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::store
