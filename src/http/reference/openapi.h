// OpenAPI 3.1, generated from the routes and field tables the service itself runs on.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/route.h"

namespace shopbell::http {

// The schemas that references name.
using NamedSchemas = std::map<std::string, json::Schema>;
NamedSchemas named_schemas(const std::vector<Route>& routes);

// A header that a request may carry.
struct RequestHeader {
  std::string_view component;  // its name in the document
  std::string_view name;
  std::string_view description;
  json::Schema schema;
};

std::vector<RequestHeader> request_headers_of(const Route& route);

// What an operation may answer besides success, the codes by status: its own problems and those the
// pipeline adds.
std::map<int, std::set<std::string>> problems_of(const Route& route);

// `base_path` is where the service hangs: "" or "/shop".
std::string openapi_document(const std::vector<Route>& routes, const std::string& base_path);

// GET /openapi.json, describing `routes`.
Route openapi_route(const std::vector<Route>& routes, const std::string& base_path);

}  // namespace shopbell::http
