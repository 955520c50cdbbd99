// The reference page: every operation of the interface for people, rendered on the server from the
// routes and field tables the service itself runs on.
#pragma once

#include <string>
#include <vector>

#include "http/route.h"

namespace shopbell::http {

// `base_path` is where the service hangs: "" or "/shop".
Response docs_page(const std::vector<Route>& routes, const std::string& base_path);

// GET /docs, describing `routes`.
Route docs_route(const std::vector<Route>& routes, const std::string& base_path);

}  // namespace shopbell::http
