// Parameters: the query of a request against what its operation declares. Whatever it does not
// know, sees twice or cannot read is refused, so that a typo never silently does nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/route.h"
#include "http/wire/message.h"

namespace shopbell::http {

// Throws unknown-parameter or invalid-parameter with all faults.
std::vector<std::pair<std::string, std::string>> read_parameters(const Request& request,
                                                                 const Operation& operation);

}  // namespace shopbell::http
