// The operations under /manage/keys/.
#pragma once

#include <string>
#include <vector>

#include "operations/operation.h"

namespace shopbell::keys {

// `scopes` are the scopes of all other operations. A key can have these and this table's scopes.
std::vector<operations::Operation> operation_table(std::vector<std::string> scopes);

}  // namespace shopbell::keys
