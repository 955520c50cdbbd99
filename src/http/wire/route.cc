#include "http/wire/route.h"

namespace shopbell::http {

Route page_route(std::string id, std::string path, Page page) {
  return {Operation{operations::Method::get,
                    std::move(path),
                    operations::Access::anybody(),
                    {},
                    {.id = std::move(id), .listed = false}},
          std::move(page)};
}

std::vector<Route> routes_of(std::vector<Operation> operations) {
  std::vector<Route> routes;
  routes.reserve(operations.size());
  for (auto& operation : operations) routes.push_back({std::move(operation), {}});
  return routes;
}

}  // namespace shopbell::http
