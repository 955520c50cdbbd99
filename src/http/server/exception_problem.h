// Converts exceptions to problems.
#pragma once

#include <string>

#include "base/problem.h"

namespace shopbell::http {

// The problem of the exception that is being handled. Unexpected errors are logged in full; the
// caller gets a generic text.
Problem current_problem(const std::string& request_id);

}  // namespace shopbell::http
