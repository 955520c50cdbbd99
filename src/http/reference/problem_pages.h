// The pages at /problems/ that explain each problem code, as HTML or JSON.
#pragma once

#include <vector>

#include "http/wire/route.h"

namespace shopbell::http {

std::vector<Route> problem_routes();

}  // namespace shopbell::http
