// Problems on the wire: application/problem+json (RFC 9457), and the pages at /problems/ that
// explain each code.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/problem.h"
#include "http/route.h"
#include "http/wire/message.h"

namespace shopbell::http {

Response problem_answer(const Problem& problem, std::string_view base_path,
                        std::string_view instance, std::string_view request_id);

// The schema of a problem, for OpenAPI.
json::Schema problem_schema();

std::vector<Route> problem_routes();

}  // namespace shopbell::http
