#include "app/service/public_routes.h"

#include <algorithm>

#include "http/reference/docs_page.h"
#include "http/reference/openapi.h"
#include "http/reference/problem_pages.h"
#include "resources/all.h"

namespace shopbell::app {

std::vector<http::Route> public_routes(const std::string& base_path,
                                       const net::OutsideRules& outside,
                                       custom_events::EventQueue* queue) {
  const auto operations = resources::all_operations(outside, queue);
  std::vector<http::Route> routes = http::routes_of(operations);
  std::ranges::move(http::problem_routes(), std::back_inserter(routes));
  routes.push_back(http::openapi_route(operations, base_path));
  routes.push_back(http::docs_route(operations, base_path));
  return routes;
}

}  // namespace shopbell::app
