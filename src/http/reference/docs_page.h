// The API reference page: all operations, rendered as HTML from the routes and field tables that
// the service uses.
#pragma once

#include <string>
#include <vector>

#include "http/wire/route.h"

namespace shopbell::http {

// `base_path` is the prefix of all paths: "" or "/shop".
Response docs_page(const std::vector<Operation>& routes, const std::string& base_path);

// Returns the route GET /docs, whose page describes `routes`.
Route docs_route(const std::vector<Operation>& routes, const std::string& base_path);

}  // namespace shopbell::http
