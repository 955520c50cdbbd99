#include "storage/s3_client.h"

#include <algorithm>
#include <array>
#include <format>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/digest.h"
#include "base/random.h"
#include "base/text.h"

namespace shopbell::storage {

namespace {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

std::string_view host_of(std::string_view endpoint) {
  return endpoint.substr(endpoint.find("://") + 3);
}

std::string_view scheme_of(std::string_view endpoint) {
  return endpoint.substr(0, endpoint.find("://") + 3);
}

bool is_retryable(const net::Trouble& trouble) {
  using enum net::Failure;
  return trouble.failure != malformed_request && trouble.failure != untrusted &&
         trouble.failure != too_large;
}

bool is_retryable(int status, std::string_view code) {
  return status >= 500 || status == 408 || status == 429 || code == "InternalError" ||
         code == "SlowDown" || code == "RequestTimeout";
}

// An error is an Error element. Completing an upload may return one under status 200.
std::string code_of(const net::Answer& answer) {
  std::string_view xml = answer.body;
  const std::size_t error = xml.find("<Error>");
  if (error == xml.npos) return {};
  xml.remove_prefix(error);
  return element_of(xml, "Code").value_or("");
}

// Waits between half of `most` and all of it, so that callers do not retry at the same moment.
asio::awaitable<void> pause(std::chrono::milliseconds most) {
  const auto part = std::chrono::duration_cast<Steady::duration>(most * (0.5 + jitter() / 2));
  asio::steady_timer timer{co_await asio::this_coro::executor, part};
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace

std::string fault_of_endpoint(std::string_view endpoint) {
  const bool web = is_web_url(endpoint);
  if (!web || host_of(endpoint).find_first_of("/?#") != std::string_view::npos) {
    return "is not the address of a server, such as https://s3.eu-central-1.amazonaws.com";
  }
  return {};
}

S3Client::S3Client(asio::io_context& loop, S3Settings settings)
    : settings_(std::move(settings)), http_(loop, {.ca_file = settings_.ca_file}) {}

S3Call S3Client::call_of(const S3Operation& operation) const {
  const std::string_view host = host_of(settings_.endpoint);
  const std::string name = encoded(operation.name, Slashes::kept);
  S3Call call{.method = operation.method, .query = operation.query, .headers = operation.headers};
  call.host = settings_.bucket_in_host ? std::format("{}.{}", settings_.bucket, host) : host;
  call.path = settings_.bucket_in_host ? "/" + name : std::format("/{}/{}", settings_.bucket, name);
  return call;
}

asio::awaitable<std::expected<net::Answer, net::Trouble>> S3Client::attempt(S3Operation operation) {
  S3Call call = call_of(operation);
  const std::string query = query_of(call.query);
  net::Request request{.method = operation.method,
                       .url = std::format("{}{}{}{}{}", scheme_of(settings_.endpoint), call.host,
                                          call.path, query.empty() ? "" : "?", query),
                       .time_limit = limits::kS3CallTime,
                       .answer_bytes_max = operation.answer_bytes_max};
  request.headers = signed_headers(settings_.credentials, std::move(call),
                                   to_hex(sha256(operation.body)), system_clock().now());
  request.body = std::move(operation.body);
  return http_.request(std::move(request));
}

asio::awaitable<std::expected<S3Answer, std::string>> S3Client::call(S3Operation operation) {
  const auto until = Steady::now() + limits::kS3Patience;
  std::chrono::milliseconds most = limits::kS3PauseFirst;
  for (bool repeated = false;; repeated = true) {
    auto answer = co_await attempt(operation);
    if (!answer && !is_retryable(answer.error())) co_return std::unexpected{answer.error().detail};
    std::string code = answer ? code_of(*answer) : "";
    if (answer && !is_retryable(answer->status, code)) {
      co_return S3Answer{*std::move(answer), std::move(code), repeated};
    }
    if (Steady::now() + most > until) {
      co_return std::unexpected{answer ? std::format("status {} {}", answer->status, code)
                                       : answer.error().detail};
    }
    co_await pause(most);
    most = std::min<std::chrono::milliseconds>(2 * most, limits::kS3PauseMost);
  }
}

std::string S3Client::link(const std::string& name, const std::string& file_name,
                           std::chrono::seconds valid) const {
  S3Call call = call_of({.name = name});
  call.query.emplace_back(
      "response-content-disposition",
      std::format("attachment; filename*=UTF-8''{}", encoded(file_name, Slashes::encoded)));
  const std::string start =
      std::format("{}{}{}?", scheme_of(settings_.endpoint), call.host, call.path);
  return start + signed_query(settings_.credentials, std::move(call), valid, system_clock().now());
}

std::optional<std::string> element_of(std::string_view& xml, std::string_view name) {
  const std::string opening = std::format("<{}>", name);
  const std::string closing = std::format("</{}>", name);
  const std::size_t begin = xml.find(opening);
  if (begin == xml.npos) return std::nullopt;
  const std::size_t end = xml.find(closing, begin);
  if (end == xml.npos) return std::nullopt;
  std::string text{xml.substr(begin + opening.size(), end - begin - opening.size())};
  xml.remove_prefix(end + closing.size());
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEntities{
      {{"&lt;", "<"},
       {"&gt;", ">"},
       {"&quot;", "\""},
       {"&#34;", "\""},
       {"&apos;", "'"},
       {"&amp;", "&"}}};  // `&` comes last, so that nothing is decoded twice
  for (const auto& [entity, character] : kEntities) {
    for (std::size_t at = text.find(entity); at != text.npos; at = text.find(entity, at + 1)) {
      text.replace(at, entity.size(), character);
    }
  }
  return text;
}

}  // namespace shopbell::storage
