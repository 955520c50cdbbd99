// The operations under /contact-fields/ and /manage/contact-fields/.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::contact_fields {

std::vector<operations::Operation> operation_table();

}  // namespace shopbell::contact_fields
