// OpenAPI 3.1, generated from the routes and field tables the service itself runs on.
#pragma once

#include <string>
#include <vector>

#include "http/route.h"

namespace shopbell::http {

// `base_path` is where the service hangs: "" or "/shop".
std::string openapi_document(const std::vector<Route>& routes, const std::string& base_path);

// GET /openapi.json, describing `routes`.
Route openapi_route(const std::vector<Route>& routes, const std::string& base_path);

}  // namespace shopbell::http
