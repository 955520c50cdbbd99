#include "http/server/pipeline.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "compress/compress.h"
#include "http/conditions.h"
#include "http/idempotency.h"
#include "http/wire/body.h"
#include "http/wire/parameters.h"
#include "http/wire/path.h"
#include "http/wire/problem_answer.h"
#include "http/wire/version.h"
#include "observe/log.h"

namespace shopbell::http {

namespace {

bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= limits::kRequestIdBytes &&
         std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                  c == '-' || c == '_' || c == '.' || c == ':';
         });
}

// Printable ASCII as it was sent; anything else was never a valid path.
std::string instance_of(const Request& request) {
  const std::string_view path = request.path();
  const bool printable = std::ranges::all_of(path, [](char c) { return c > 0x20 && c < 0x7f; });
  return printable && !path.empty() ? std::string{path} : "/";
}

Problem unauthorized(std::string detail) {
  return Problem{Code::unauthorized, std::move(detail)}.with_header("WWW-Authenticate",
                                                                    "Bearer realm=\"shopbell\"");
}

std::string bearer_token(const Request& request) {
  const std::string_view header = request.header("authorization");
  if (header.empty()) throw unauthorized("The request has no Authorization header.");
  constexpr std::string_view kScheme = "bearer ";
  const bool bearer = header.size() > kScheme.size() &&
                      std::ranges::equal(header.substr(0, kScheme.size()), kScheme,
                                         [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  if (!bearer) throw unauthorized("The Authorization header does not say `Bearer`.");
  return std::string{header.substr(kScheme.size())};
}

// With a reason in the server's own words.
bool was_refused(const pg::Error& error) { return error.kind() == pg::Error::Kind::refused; }

Problem problem_of(const pg::Error& error) {
  if (error.is_timeout())
    return Problem{Code::timeout, "The database did not answer in time."}.with_header("Retry-After",
                                                                                      "1");
  if (error.is_outage()) {
    return Problem{Code::unavailable, was_refused(error) ? "The database cannot do this now."
                                                         : "The database cannot be reached."}
        .with_header("Retry-After", "1");
  }
  return Problem{Code::internal, "An unexpected error; the log has it under this request id."};
}

// The exception being handled, as a problem. What nobody expected is logged in full and told in
// general terms.
Problem current_problem(const std::string& request_id) {
  const auto log_it = [&](std::string_view what, std::string_view sqlstate,
                          std::string_view query) {
    observe::log(
        observe::Level::error, "request failed",
        {{"requestId", request_id}, {"what", what}, {"sqlstate", sqlstate}, {"query", query}});
  };
  try {
    throw;
  } catch (const Problem& problem) {
    return problem;
  } catch (const pg::Error& error) {
    Problem problem = problem_of(error);
    // A lost connection is logged where it was lost. A full disk or a failing one loses none, so
    // that nothing else would tell the operator.
    const bool unfit = problem.code() == Code::unavailable && was_refused(error);
    if (problem.code() == Code::internal || unfit)
      log_it(error.what(), error.sqlstate(), error.query());
    return problem;
  } catch (const storage::Error& error) {  // no room, no access, no answer: not the caller's doing
    log_it(error.what(), "", "");
    return Problem{Code::unavailable, "The storage for files cannot be used now."}.with_header(
        "Retry-After", "5");
  } catch (const std::exception& error) {
    log_it(error.what(), "", "");
  } catch (...) {
    log_it("not an exception of ours", "", "");
  }
  return Problem{Code::internal, "An unexpected error; the log has it under this request id."};
}

bool is_write(Method method) {
  return method == Method::post || method == Method::put || method == Method::patch ||
         method == Method::delete_;
}

// Where the successor of a deprecated operation is, of the same object.
std::string successor_of(const Exchange& exchange) {
  std::string path{exchange.base_path};
  std::string_view left = exchange.route->operation.successor;
  while (!left.empty()) {
    const auto open = std::min(left.find('{'), left.size());
    path += left.substr(0, open);
    left.remove_prefix(open);
    if (left.empty()) break;
    const auto close = left.find('}');
    const std::string_view name = left.substr(1, close - 1);
    for (const auto& [parameter, value] : exchange.path_parameters) {
      if (parameter == name) path += percent_encode(value);
    }
    left.remove_prefix(close + 1);
  }
  return path;
}

void add_deprecation(const Exchange& exchange, Response& response) {
  response.headers.emplace_back("Deprecation", "@1767225600");
  response.headers.emplace_back("Sunset", "Fri, 31 Dec 2027 23:59:59 GMT");
  response.headers.emplace_back(
      "Link", std::format(R"(<{}>; rel="successor-version", <{}/docs>; rel="deprecation")",
                          successor_of(exchange), exchange.base_path));
}

// The coding the answer goes out in, if it is long enough for one to be worth it.
compress::Coding coding_for(const Request& request, const Response& response) {
  if (response.body.size() < limits::kCompressFrom) return compress::Coding::identity;
  return compress::choose(request.header("accept-encoding"));
}

}  // namespace

BodyRule Pipeline::body_rule(Method method, std::string_view target) const {
  const BodyRule usual{.bytes_max = limits::kBodyBytes};
  if (!is_write(method)) return usual;
  const std::string_view path = target.substr(0, target.find('?'));
  const auto match = path.starts_with(parts_.base_path)
                         ? parts_.router->find(method, path.substr(parts_.base_path.size()))
                         : std::nullopt;
  if (!match || match->route == nullptr) return usual;
  const Operation& operation = match->route->operation;
  if (operation.upload) return {.bytes_max = operation.upload->bytes_max, .streams = true};
  if (!operation.body) return usual;
  return {.bytes_max = std::max(operation.body->bytes_max, operation.body->lines_bytes_max)};
}

boost::asio::awaitable<Response> Pipeline::serve(const Request& request, BodySource* body) {
  const auto started = pg::Steady::now();
  Exchange exchange{.request = &request,
                    .deadline = started + limits::kRequestDeadline,
                    .database = parts_.database,
                    .clock = parts_.clock,
                    .keyring = parts_.keyring,
                    .storage = parts_.storage,
                    .base_path = parts_.base_path};
  std::optional<Upload> upload;
  if (body != nullptr) exchange.upload = &upload.emplace(*body);
  const std::string_view sent_id = request.header("x-request-id");
  exchange.request_id =
      is_token(sent_id) ? std::string{sent_id} : Uuid::v7(parts_.clock->now()).to_string();

  const Route* route = nullptr;
  Response response;
  try {
    response = co_await answer(exchange, route);
  } catch (...) {
    response = problem_answer(current_problem(exchange.request_id), parts_.base_path,
                              instance_of(request), exchange.request_id);
  }
  finish(exchange, response);
  record(exchange, route, response, upload ? upload->last_read() : started);
  co_return response;
}

boost::asio::awaitable<Response> Pipeline::answer(Exchange& exchange, const Route*& found) {
  const Request& request = *exchange.request;
  const bool too_large = request.fault && request.fault->code() == Code::body_too_large;
  if (request.fault && !too_large) throw *request.fault;

  const std::string_view path = request.path();
  auto match = path.starts_with(parts_.base_path)
                   ? parts_.router->find(request.method, path.substr(parts_.base_path.size()))
                   : std::nullopt;
  if (!match) throw Problem{Code::path_not_found, "No operation has this path."};
  if (request.method == Method::options) {
    co_return Response{.status = 204, .headers = {{"Allow", match->allowed}}};
  }
  if (match->route == nullptr) {
    throw Problem{Code::method_not_allowed, std::format("This path takes {}.", match->allowed)}
        .with_header("Allow", match->allowed);
  }
  const Route& route = *match->route;
  found = exchange.route = &route;
  if (parts_.retire_deprecated && route.operation.deprecated()) {
    throw Problem{Code::operation_retired,
                  "The operator has turned this deprecated operation off."};
  }
  if (match->other_slash && (request.method == Method::get || request.method == Method::head)) {
    std::string location{path};
    path.ends_with('/') ? location.pop_back() : location.push_back('/');
    if (!request.query().empty()) location.append("?").append(request.query());
    co_return Response{.status = 308, .headers = {{"Location", location}}};
  }
  exchange.path_parameters = std::move(match->parameters);
  if (route.access.needs_key()) co_await authenticate(exchange, route);
  if (route.operation.body)
    exchange.body = read_body(request, *route.operation.body, exchange.plain_body);
  if (route.operation.upload) check_upload(request, *route.operation.upload);
  if (too_large) throw *request.fault;
  if (route.operation.body && has_lines(request)) admit_lines(exchange);
  exchange.query_parameters = read_parameters(request, route.operation);
  if (is_write(request.method)) idempotency_key(request);  // refused here when it is malformed
  co_return co_await route.handler(Call{exchange});
}

boost::asio::awaitable<void> Pipeline::authenticate(Exchange& exchange, const Route& route) {
  const Request& request = *exchange.request;
  exchange.caller = co_await parts_.keys->identify(bearer_token(request), request.remote_address,
                                                   exchange.deadline);
  const Principal& caller = exchange.caller;
  const rates::Admission admission = parts_.rates->admit(
      caller.account, caller.key_id, caller.account_rate, caller.key_rate, pg::Steady::now());
  exchange.rate_policy = rates::policy_header(admission);
  exchange.rate_left = rates::limit_header(admission);
  if (!admission.granted()) throw rates::quota_problem(admission);
  if (route.operation.deprecated()) parts_.keys->note_deprecated_use(caller);
  Call{exchange}.require_scope(route.access.scope_name());
}

void Pipeline::admit_lines(Exchange& exchange) const {
  const std::string_view body = Call{exchange}.body_text();
  const auto lines = std::ranges::count(body, '\n') + (body.ends_with('\n') ? 0 : 1);
  const rates::LineAdmission admission =
      parts_.rates->admit_lines(exchange.caller.account, static_cast<std::size_t>(lines),
                                exchange.caller.account_rate, pg::Steady::now());
  add_lines(admission, exchange.rate_policy, exchange.rate_left);
  if (!admission.allowance.granted) throw rates::quota_problem(admission);
}

void Pipeline::finish(const Exchange& exchange, Response& response) const {
  const Request& request = *exchange.request;
  const bool reads = request.method == Method::get || request.method == Method::head;
  const compress::Coding coding = coding_for(request, response);
  const bool varies = !response.stream;  // a file goes out as it is
  if (!response.etag.empty()) {
    response.headers.emplace_back("ETag", coding == compress::Coding::identity
                                              ? response.etag
                                              : coded_tag(response.etag, name_of(coding)));
    if (reads && response.status == 200 && is_known(request, response.etag)) {
      response.status = 304;
      response.body.clear();
      response.stream.reset();
      response.content_type.clear();
    }
  }
  if (exchange.route != nullptr && exchange.route->operation.deprecated())
    add_deprecation(exchange, response);
  if (varies && (!response.body.empty() || response.status == 304))
    response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!response.body.empty() && coding != compress::Coding::identity) {
    response.body = compress::deflate(coding, response.body);
    response.headers.emplace_back("Content-Encoding", name_of(coding));
  }
  if (exchange.caller.account != 0) {
    response.headers.emplace_back("Cache-Control", "no-store");
    response.headers.emplace_back("RateLimit-Policy", exchange.rate_policy);
    response.headers.emplace_back("RateLimit", exchange.rate_left);
  }
  response.headers.emplace_back("X-Request-Id", exchange.request_id);
  response.headers.emplace_back("Shopbell-Version", kInterfaceVersion);
  response.close = response.close || !request.keep_alive;
}

void Pipeline::record(const Exchange& exchange, const Route* route, const Response& response,
                      pg::Steady::time_point started) {
  const std::chrono::duration<double> took = pg::Steady::now() - started;
  const std::string_view method = name_of(exchange.request->method);
  const std::string_view route_name = route == nullptr ? "(none)" : std::string_view{route->path};
  auto& duration = durations_[{route, exchange.request->method, response.status}];
  if (duration == nullptr) {
    duration = &parts_.metrics->duration("shopbell_request_seconds",
                                         "From the last byte of a request to its answer.",
                                         {{"method", std::string{method}},
                                          {"route", std::string{route_name}},
                                          {"status", std::to_string(response.status)}});
  }
  duration->observe(took.count());
  if (!parts_.log_requests || !observe::logs_at(observe::Level::info)) return;
  observe::log(observe::Level::info, "request",
               {{"requestId", exchange.request_id},
                {"method", method},
                {"route", route_name},
                {"status", response.status},
                {"ms", took.count() * 1000},
                {"account", exchange.caller.account}});
}

}  // namespace shopbell::http
