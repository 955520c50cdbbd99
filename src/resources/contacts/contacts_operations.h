// The operations under /contacts/, and those under /manage/contacts/.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::contacts {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::contacts
