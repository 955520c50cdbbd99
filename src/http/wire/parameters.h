// Parameters: validates the query of a request against the operation's declaration. Unknown,
// repeated and malformed parameters are refused, so that a typo is never ignored silently.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "http/wire/message.h"
#include "operations/operation.h"

namespace shopbell::http {

// Throws unknown-parameter or invalid-parameter with all faults.
std::vector<std::pair<std::string, std::string>> read_parameters(
    const Request& request, const operations::Description& operation);

}  // namespace shopbell::http
