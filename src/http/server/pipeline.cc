#include "http/server/pipeline.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "base/percent.h"
#include "compress/compress.h"
#include "http/server/exception_problem.h"
#include "http/wire/body.h"
#include "http/wire/conditional.h"
#include "http/wire/idempotency_key.h"
#include "http/wire/output_response.h"
#include "http/wire/parameters.h"
#include "http/wire/problem_answer.h"
#include "http/wire/version.h"
#include "observe/log.h"
#include "operations/written_output.h"

namespace shopbell::http {

namespace {

bool is_token(std::string_view text) {
  return !text.empty() && text.size() <= limits::kRequestIdBytes &&
         std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                  c == '-' || c == '_' || c == '.' || c == ':';
         });
}

// The path as sent if it is printable ASCII; other paths are never valid and become "/".
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
  if (header.empty()) throw unauthorized("The Authorization header is missing.");
  constexpr std::string_view kScheme = "bearer ";
  const bool bearer = header.size() > kScheme.size() &&
                      std::ranges::equal(header.substr(0, kScheme.size()), kScheme,
                                         [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  if (!bearer) throw unauthorized("The Authorization header must be `Bearer` followed by a key.");
  return std::string{header.substr(kScheme.size())};
}

bool is_write(Method method) {
  return method == Method::post || method == Method::put || method == Method::patch ||
         method == Method::delete_;
}

// The path of a deprecated operation's successor, for the same object.
std::string successor_of(const operations::Invocation& invocation) {
  std::string path{invocation.base_path};
  std::string_view left = invocation.operation->description.successor;
  while (!left.empty()) {
    const auto open = std::min(left.find('{'), left.size());
    path += left.substr(0, open);
    left.remove_prefix(open);
    if (left.empty()) break;
    const auto close = left.find('}');
    const std::string_view name = left.substr(1, close - 1);
    for (const auto& [parameter, value] : invocation.path_parameters) {
      if (parameter == name) path += percent_encode(value);
    }
    left.remove_prefix(close + 1);
  }
  return path;
}

void add_deprecation(const operations::Invocation& invocation, Response& response) {
  response.headers.emplace_back("Deprecation", "@1767225600");
  response.headers.emplace_back("Sunset", "Fri, 31 Dec 2027 23:59:59 GMT");
  response.headers.emplace_back(
      "Link", std::format(R"(<{}>; rel="successor-version", <{}/docs>; rel="deprecation")",
                          successor_of(invocation), invocation.base_path));
}

// The preconditions, preferences and idempotency key of a request.
void read_headers(const Request& request, operations::Invocation& invocation) {
  invocation.conditions = conditions_of(request);
  invocation.preferences = {.lenient = prefers_leniency(request),
                            .respond_async = prefers_async(request)};
  if (!is_write(request.method)) return;
  if (auto key = idempotency_key(request))
    invocation.idempotency_key = {
        .key = std::move(*key),
        .request = std::format("{} {}", name_of(request.method), request.target)};
}

// The response's content coding; none for short bodies.
compress::Coding coding_for(const Request& request, const Response& response) {
  if (response.text().size() < limits::kCompressFrom) return compress::Coding::identity;
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
  const operations::Description& operation = match->route->operation.description;
  if (operation.upload) return {.bytes_max = operation.upload->bytes_max, .streams = true};
  if (!operation.body) return usual;
  return {.bytes_max = std::max(operation.body->bytes_max, operation.body->lines_bytes_max)};
}

bool Pipeline::Exchange::is_deprecated() const {
  return route != nullptr && route->operation.description.deprecated();
}

boost::asio::awaitable<Response> Pipeline::serve(Request& request, BodySource* body) {
  const auto started = pg::Steady::now();
  Exchange exchange{.request = &request,
                    .body = body,
                    .received = started,
                    .invocation = {.client_address = request.remote_address,
                                   .body_text = request.body,
                                   .deadline = started + limits::kRequestDeadline,
                                   .database = parts_.database,
                                   .clock = parts_.clock,
                                   .keyring = parts_.keyring,
                                   .storage = parts_.storage,
                                   .base_path = parts_.base_path}};
  const std::string_view sent_id = request.header("x-request-id");
  exchange.invocation.request_id =
      is_token(sent_id) ? std::string{sent_id} : Uuid::v7(parts_.clock->now()).to_string();

  Response response;
  try {
    response = co_await answer(exchange);
  } catch (...) {
    response = problem_answer(current_problem(exchange.invocation.request_id), parts_.base_path,
                              instance_of(request), exchange.invocation.request_id);
  }
  finish(exchange, response);
  record(exchange, response);
  request.body = {};  // free it before sending: the client may read the response slowly
  co_return response;
}

boost::asio::awaitable<Response> Pipeline::answer(Exchange& exchange) {
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
    throw Problem{Code::method_not_allowed, std::format("This path supports {}.", match->allowed)}
        .with_header("Allow", match->allowed);
  }
  exchange.route = match->route;
  exchange.invocation.operation = &exchange.route->operation;
  if (parts_.retire_deprecated && exchange.is_deprecated()) {
    throw Problem{Code::operation_retired, "The operator has disabled this deprecated operation."};
  }
  if (match->other_slash && (request.method == Method::get || request.method == Method::head)) {
    std::string location{path};
    path.ends_with('/') ? location.pop_back() : location.push_back('/');
    if (!request.query().empty()) location.append("?").append(request.query());
    co_return Response{.status = 308, .headers = {{"Location", location}}};
  }
  exchange.invocation.path_parameters = std::move(match->parameters);
  co_return co_await invoke(exchange, too_large);
}

boost::asio::awaitable<Response> Pipeline::invoke(Exchange& exchange, bool too_large) {
  const Request& request = *exchange.request;
  const Route& route = *exchange.route;
  operations::Invocation& invocation = exchange.invocation;
  const operations::Description& description = route.operation.description;
  if (route.operation.access.needs_key()) {
    co_await authenticate(exchange);
  } else {
    admit_anonymous(request);
  }
  // A body without required members may be left out.
  const bool announced = description.body && (!may_lack_body(route.operation) ||
                                              !request.header("content-type").empty());
  if (announced) check_body(request, *description.body);
  if (description.upload) check_upload(request, *description.upload);
  if (too_large) throw *request.fault;
  if (description.upload) {
    invocation.upload = &exchange.upload.emplace(request, *exchange.body);
  } else {
    co_await receive_body(exchange);
  }
  const bool is_sent = !request.body.empty() || !request.header("content-encoding").empty();
  if (description.body && (!may_lack_body(route.operation) || is_sent)) {
    if (!announced) check_body(request, *description.body);
    invocation.body = read_body(request, *description.body, exchange.inflated_body);
    invocation.has_lines = has_lines(request);
    if (!exchange.inflated_body.empty()) invocation.body_text = exchange.inflated_body;
    if (!exchange.memory.grow(exchange.inflated_body.capacity())) throw no_memory_problem();
  }
  if (invocation.has_lines) admit_lines(exchange);
  invocation.query_parameters = read_parameters(request, description);
  read_headers(request, invocation);
  if (route.page) co_return co_await route.page(request, invocation.path_parameters);
  const operations::Input input{invocation};
  operations::Output output = co_await route.operation.handler(input);
  co_return response_of(operations::visible_output(input, std::move(output)), request);
}

// Reads the rest of the body, and discards it if the operation takes none.
boost::asio::awaitable<void> Pipeline::receive_body(Exchange& exchange) {
  Request& request = *exchange.request;
  operations::Invocation& invocation = exchange.invocation;
  const auto& expected = exchange.route->operation.description.body;
  exchange.memory = {parts_.memory, invocation.caller.account};
  if (exchange.body == nullptr) co_return;
  const std::size_t bytes_max = expected ? body_limit(request, *expected) : 0;
  while (true) {
    const std::string block = co_await exchange.body->read();
    if (block.empty()) break;
    if (!expected) continue;
    if (request.body.size() + block.size() > bytes_max) throw body_too_large(bytes_max);
    const std::size_t capacity = request.body.capacity();
    request.body += block;
    if (!exchange.memory.grow(request.body.capacity() - capacity)) throw no_memory_problem();
  }
  invocation.body_text = request.body;
  exchange.received = pg::Steady::now();
  invocation.deadline = exchange.received + limits::kRequestDeadline;
  // The key may have been revoked while the body arrived.
  if (exchange.is_authenticated()) co_await identify(exchange);
}

void Pipeline::admit_anonymous(const Request& request) const {
  if (parts_.rates == nullptr) return;
  const rates::Allowance allowance =
      parts_.rates->admit_anonymous(request.remote_address, pg::Steady::now());
  if (!allowance.granted) throw rates::anonymous_quota_problem(allowance);
}

boost::asio::awaitable<void> Pipeline::identify(Exchange& exchange) {
  const Request& request = *exchange.request;
  operations::Invocation& invocation = exchange.invocation;
  invocation.caller = co_await parts_.keys->identify(bearer_token(request), request.remote_address,
                                                     invocation.deadline);
}

boost::asio::awaitable<void> Pipeline::authenticate(Exchange& exchange) {
  co_await identify(exchange);
  operations::Invocation& invocation = exchange.invocation;
  const operations::Caller& caller = invocation.caller;
  const rates::Admission admission = parts_.rates->admit(
      caller.account, caller.key_id, caller.account_rate, caller.key_rate, pg::Steady::now());
  exchange.rate_policy = rates::policy_header(admission);
  exchange.rate_left = rates::limit_header(admission);
  if (!admission.granted()) throw rates::quota_problem(admission);
  if (exchange.is_deprecated()) parts_.keys->note_deprecated_use(caller);
  operations::Input{invocation}.require_scope(exchange.route->operation.access.scope_name());
  if (!parts_.memory->has_room(caller.account)) throw no_memory_problem();
}

void Pipeline::admit_lines(Exchange& exchange) const {
  const std::string_view body = exchange.invocation.body_text;
  const auto lines = std::ranges::count(body, '\n') + (body.ends_with('\n') ? 0 : 1);
  const rates::LineAdmission admission =
      parts_.rates->admit_lines(exchange.invocation.caller.account, static_cast<std::size_t>(lines),
                                exchange.invocation.caller.account_rate, pg::Steady::now());
  rates::add_lines(admission, exchange.rate_policy, exchange.rate_left);
  if (!admission.allowance.granted) throw rates::quota_problem(admission);
}

void Pipeline::finish(const Exchange& exchange, Response& response) const {
  const Request& request = *exchange.request;
  const bool reads = request.method == Method::get || request.method == Method::head;
  const compress::Coding coding = coding_for(request, response);
  const bool varies = !response.stream;  // files are sent as stored
  if (!response.etag.empty()) {
    response.headers.emplace_back("ETag", coding == compress::Coding::identity
                                              ? response.etag
                                              : coded_tag(response.etag, name_of(coding)));
    const auto& known = exchange.invocation.conditions.if_none_match;
    if (reads && response.status == 200 && known && known->names(response.etag)) {
      response.status = 304;
      response.body.clear();
      response.fixed.reset();
      response.stream.reset();
      response.content_type.clear();
    }
  }
  if (exchange.is_deprecated()) add_deprecation(exchange.invocation, response);
  if (varies && (!response.text().empty() || response.status == 304))
    response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!response.text().empty() && coding != compress::Coding::identity) {
    response.coding = coding;
    if (!response.fixed) response.body = compress::deflate(coding, response.body);
    response.headers.emplace_back("Content-Encoding", name_of(coding));
  }
  if (exchange.is_authenticated()) {
    response.headers.emplace_back("Cache-Control", "no-store");
    response.headers.emplace_back("RateLimit-Policy", exchange.rate_policy);
    response.headers.emplace_back("RateLimit", exchange.rate_left);
  }
  response.headers.emplace_back("X-Request-Id", exchange.invocation.request_id);
  response.headers.emplace_back("Shopbell-Version", kInterfaceVersion);
  response.close = response.close || !request.keep_alive;
  if (response.body.size() <= limits::kAnswerFree) return;
  response.memory =
      std::make_shared<RequestMemory::Hold>(parts_.memory, exchange.invocation.caller.account);
  response.memory->add(response.body.capacity());
}

void Pipeline::record(const Exchange& exchange, const Response& response) {
  const Route* route = exchange.route;
  const auto started = exchange.upload ? exchange.upload->last_read() : exchange.received;
  const std::chrono::duration<double> took = pg::Steady::now() - started;
  const std::string_view method = name_of(exchange.request->method);
  const std::string_view route_name = route == nullptr ? "(none)" : std::string_view{route->path()};
  auto& duration = durations_[{route, exchange.request->method, response.status}];
  if (duration == nullptr) {
    duration = &parts_.metrics->duration("shopbell_request_seconds",
                                         "Time from the last byte of a request to its response.",
                                         {{"method", std::string{method}},
                                          {"route", std::string{route_name}},
                                          {"status", std::to_string(response.status)}});
  }
  duration->observe(took.count());
  if (!parts_.log_requests || !observe::logs_at(observe::Level::info)) return;
  const operations::Caller& caller = exchange.invocation.caller;
  const std::string key = exchange.is_authenticated() ? caller.key_id.to_string() : "";
  observe::log(observe::Level::info, "request",
               {{"requestId", exchange.invocation.request_id},
                {"method", method},
                {"route", route_name},
                {"status", response.status},
                {"ms", took.count() * 1000},
                {"account", caller.account},
                {"key", key},
                {"address", exchange.request->remote_address}});
}

}  // namespace shopbell::http
