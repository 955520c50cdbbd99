// The operations on products.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::products {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::products
