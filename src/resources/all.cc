#include "resources/all.h"

#include <algorithm>
#include <set>

#include "http/reference/docs_page.h"
#include "http/reference/openapi.h"
#include "http/wire/problem_answer.h"
#include "resources/contact_fields/contact_fields_api.h"
#include "resources/contacts/contacts_api.h"
#include "resources/coupons/coupons_api.h"
#include "resources/custom_events/custom_events_api.h"
#include "resources/exports/export.h"
#include "resources/exports/exports_api.h"
#include "resources/files/files_api.h"
#include "resources/imports/import.h"
#include "resources/imports/imports_api.h"
#include "resources/integrations/integrations_api.h"
#include "resources/keys/keys_api.h"
#include "resources/products/products_api.h"
#include "resources/purchases/purchases_api.h"
#include "resources/store/store_api.h"
#include "resources/templates/templates_api.h"
#include "resources/webhooks/webhooks_api.h"
#include "resources/workflows/workflows_api.h"

namespace shopbell::resources {

namespace {

std::vector<std::string> scopes_of(const std::vector<http::Route>& routes) {
  std::set<std::string> scopes;
  for (const auto& route : routes) {
    if (route.access.needs_key()) scopes.insert(route.access.scope_name());
    scopes.insert(route.operation.further_scopes.begin(), route.operation.further_scopes.end());
  }
  return {scopes.begin(), scopes.end()};
}

}  // namespace

// The one list: a slice that stands here is served, documented, tested and linted.
std::vector<http::Route> all_routes(const std::string& base_path, const net::OutsideRules& outside,
                                    custom_events::EventQueue* queue) {
  std::vector<http::Route> routes;
  for (auto* slice : {store::routes, contact_fields::routes, contacts::routes, products::routes,
                      purchases::routes, coupons::routes, templates::routes, workflows::routes,
                      imports::routes, exports::routes, http::problem_routes}) {
    std::ranges::move(slice(), std::back_inserter(routes));
  }
  for (auto* slice : {integrations::routes, webhooks::routes})
    std::ranges::move(slice(outside), std::back_inserter(routes));
  std::ranges::move(custom_events::routes(queue), std::back_inserter(routes));
  std::ranges::move(
      files::routes({{exports::kJobKind, exports::offered}, {imports::kJobKind, imports::offered}}),
      std::back_inserter(routes));
  std::ranges::move(keys::routes(scopes_of(routes)), std::back_inserter(routes));
  routes.push_back(http::openapi_route(routes, base_path));
  routes.push_back(http::docs_route(routes, base_path));
  return routes;
}

std::vector<std::string> all_scopes() { return scopes_of(all_routes("")); }

}  // namespace shopbell::resources
