// OpenAPI 3.1, generated from the routes and field tables the service itself runs on.
#pragma once

#include <string>
#include <vector>

#include "http/route.h"

namespace shopbell::http {

std::string openapi_document(const std::vector<Route>& routes);

// GET /openapi.json, describing `routes`.
Route openapi_route(const std::vector<Route>& routes);

}  // namespace shopbell::http
