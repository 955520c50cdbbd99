#include "resources/all.h"

#include <algorithm>
#include <set>

#include "http/openapi.h"
#include "http/problem_answer.h"
#include "resources/store/store_api.h"

namespace shopbell::resources {

// The one list: a slice that stands here is served, documented, tested and linted.
std::vector<http::Route> all_routes(const std::string& base_path) {
  std::vector<http::Route> routes;
  for (auto* slice : {store::routes, http::problem_routes}) {
    std::ranges::move(slice(), std::back_inserter(routes));
  }
  routes.push_back(http::openapi_route(routes, base_path));
  return routes;
}

std::vector<std::string> all_scopes() {
  std::set<std::string> scopes;
  for (const auto& route : all_routes("")) {
    if (route.access.needs_key()) scopes.insert(route.access.scope_name());
  }
  return {scopes.begin(), scopes.end()};
}

}  // namespace shopbell::resources
