#include "http/wire/route.h"

namespace shopbell::http {

namespace {

boost::asio::awaitable<Response> serve_page(std::shared_ptr<const Response> page) {
  co_return *page;
}

}  // namespace

Route page_route(std::string id, std::string path, Page page) {
  return {Operation{operations::Method::get,
                    std::move(path),
                    operations::Access::anybody(),
                    {},
                    {.id = std::move(id), .listed = false}},
          std::move(page)};
}

Route fixed_route(std::string id, std::string path, Response page) {
  page.share_body();
  return page_route(
      std::move(id), std::move(path),
      [shared = std::make_shared<const Response>(std::move(page))](
          const Request&, const operations::Parameters&) { return serve_page(shared); });
}

std::vector<Route> routes_of(std::vector<Operation> operations) {
  std::vector<Route> routes;
  routes.reserve(operations.size());
  for (auto& operation : operations) routes.push_back({std::move(operation), {}});
  return routes;
}

}  // namespace shopbell::http
