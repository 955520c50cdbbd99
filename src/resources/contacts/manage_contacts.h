// The operations under /manage/contacts/: list, search, and access by the service's own ids.
#pragma once

#include <vector>

#include "operations/operation.h"
#include "resources/contacts/contact_answer.h"

namespace shopbell::contacts {

std::vector<operations::Operation> manage_routes(const Memory& memory);

}  // namespace shopbell::contacts
