// Route: one method and path of the HTTP interface. It serves an operation, or a page outside the
// API such as /docs or /health.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "http/wire/message.h"
#include "operations/operation.h"

namespace shopbell::http {

using operations::Operation;

using Page = std::function<boost::asio::awaitable<Response>(const Request& request,
                                                            const operations::Parameters& path)>;

struct Route {
  Operation operation;
  Page page;  // if set, replaces the operation's handler

  Method method() const { return operation.method; }
  const std::string& path() const { return operation.path; }
};

// A page that needs no key and is not listed in OpenAPI.
Route page_route(std::string id, std::string path, Page page);

// Like page_route(), for a page of fixed content. All its responses share the body. Clients that
// know its ETag get 304.
Route fixed_route(std::string id, std::string path, Response page);

std::vector<Route> routes_of(std::vector<Operation> operations);

}  // namespace shopbell::http
