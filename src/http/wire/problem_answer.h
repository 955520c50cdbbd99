// Converts problems to application/problem+json (RFC 9457).
#pragma once

#include <string>
#include <string_view>

#include "base/problem.h"
#include "http/wire/message.h"
#include "json/schema.h"

namespace shopbell::http {

Response problem_answer(const Problem& problem, std::string_view base_path,
                        std::string_view instance, std::string_view request_id);

// The schema of a problem, for OpenAPI.
json::Schema problem_schema();

}  // namespace shopbell::http
