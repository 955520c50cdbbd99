// The OpenAPI 3.1 document, generated from the routes and field tables that the service uses.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/wire/route.h"

namespace shopbell::http {

// The schemas by reference name.
using NamedSchemas = std::map<std::string, json::Schema>;
NamedSchemas named_schemas(const std::vector<Operation>& routes);

// A header that a request may carry.
struct RequestHeader {
  std::string_view component;  // name of the OpenAPI component
  std::string_view name;
  std::string_view description;
  json::Schema schema;
};

std::vector<RequestHeader> request_headers_of(const Operation& route);

// The problem codes of an operation by status: its own and those of the pipeline.
std::map<int, std::set<std::string>> problems_of(const Operation& route);

// Describes the answer to a write by a caller that may not read; empty: it gets the whole answer.
std::string reduced_answer_note(const operations::Description& operation);

// `base_path` is the prefix of all paths: "" or "/shop".
std::string openapi_document(const std::vector<Operation>& routes, const std::string& base_path,
                             json::Writer::Layout layout);

// Returns the route GET /openapi.json, whose document describes `routes`.
Route openapi_route(const std::vector<Operation>& routes, const std::string& base_path);

}  // namespace shopbell::http
