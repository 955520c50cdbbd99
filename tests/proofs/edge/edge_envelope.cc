// Checks the requirements that apply to every response.
#include <algorithm>
#include <format>

#include "base/problem.h"
#include "json/document.h"
#include "tests/proofs/actors/bodies.h"
#include "tests/proofs/edge/edge.h"

namespace shopbell::proofs {

namespace {

using json::Type;
using json::Value;

std::optional<std::string> fault_in_errors(const Value& problem) {
  const auto errors = problem.member("errors");
  if (!errors) return std::nullopt;
  if (errors->type() != Type::list || errors->size() == 0)
    return "errors as a list that is not empty";
  std::optional<std::string> fault;
  errors->for_each([&](std::string_view, const Value& error) {
    int places = 0;
    for (const auto* name : {"pointer", "parameter", "header"})
      places += error.member(name) ? 1 : 0;
    if (places != 1 || !error.member("code") || !error.member("detail"))
      fault = "one place, code and detail in each of errors";
  });
  return fault;
}

std::optional<std::string> fault_in_problem(const Ask& ask, const Reply& reply) {
  if (reply.header("content-type") != "application/problem+json")
    return "Content-Type: application/problem+json";
  if (ask.method == "HEAD") return std::nullopt;
  const auto document = json::Document::parse(reply.body);
  if (!document) return "a JSON body";
  const Value problem = document->root();
  for (const auto* name : {"type", "title", "detail", "instance", "code", "requestId"}) {
    const auto member = problem.member(name);
    if (!member || member->type() != Type::text || member->text().empty())
      return std::format("the member {}", name);
  }
  const auto status = problem.member("status");
  if (!status || status->type() != Type::number ||
      status->number_text() != std::to_string(reply.status))
    return "the member status, equal to the response's status";
  const auto kind =
      std::ranges::find(problem_kinds(), problem.member("code")->text(), &ProblemKind::name);
  if (kind == problem_kinds().end()) return "a code of the problem table";
  if (kind->status != reply.status) return std::format("{}, the status of its code", kind->status);
  if (problem.member("type")->text() != "/problems/" + kind->name) return "type /problems/<code>";
  if (problem.member("title")->text() != kind->title) return "the title of its code";
  if (problem.member("requestId")->text() != reply.header("x-request-id"))
    return "a requestId equal to X-Request-Id";
  return fault_in_errors(problem);
}

}  // namespace

std::optional<std::string> envelope_fault(const Ask& ask, const Reply& reply) {
  if (reply.late) return "a response";
  // The rule itself checks these responses.
  if (!reply.answered() || reply.status < 200) return std::nullopt;
  if (reply.status >= 500) return "no 5xx status";
  if (reply.header("x-request-id").empty()) return "X-Request-Id";
  if (reply.header("shopbell-version").empty()) return "Shopbell-Version";
  if (reply.header("date").empty()) return "Date";
  // A receipt has no URL.
  const bool is_receipt =
      ask.path.starts_with("/custom-events/") || ask.path.starts_with("/manage/rejected-events/");
  if (reply.status == 201 && reply.header("location").empty() && !is_receipt) return "Location";
  if (reply.status == 401 && !reply.header("www-authenticate").starts_with("Bearer "))
    return "WWW-Authenticate: Bearer …";
  if (reply.status == 405 && reply.header("allow").empty()) return "Allow";
  if (reply.status == 429 && reply.header("retry-after").empty()) return "Retry-After";
  if ((reply.status == 204 || reply.status == 304) && !reply.header("content-length").empty())
    return "no Content-Length";
  return reply.status >= 400 ? fault_in_problem(ask, reply) : std::nullopt;
}

// Authenticated responses carry rate-limit headers; responses to checks before the key do not.
bool is_authenticated(const Route& route, const Ask& ask, const Reply& reply) {
  if (!route.access.needs_key() || !reply.answered() || ask.method == "OPTIONS") return false;
  const bool has_key = std::ranges::any_of(
      ask.headers, [](const auto& header) { return header.first == "Authorization"; });
  constexpr std::array kBefore{100, 308, 401, 405, 414, 429, 431};
  if (!has_key || std::ranges::contains(kBefore, reply.status)) return false;
  if (ask.method == "HEAD" && reply.status >= 400)
    return false;  // without a body, a 404 does not tell whether the path or the object is missing
  const std::string code = reply.code();
  return code != "path-not-found" && code != "malformed-request";
}

std::optional<std::string> rate_fault(const Reply& reply) {
  const auto has = [&](std::string_view name, std::string_view first, std::string_view second) {
    const std::string value = reply.header(name);
    return value.starts_with('"') && value.contains(first) && value.contains(second);
  };
  if (!has("ratelimit-policy", ";q=", ";w=")) return "RateLimit-Policy: \"…\";q=…;w=…";
  if (!has("ratelimit", ";r=", ";t=")) return "RateLimit: \"…\";r=…;t=…";
  return std::nullopt;
}

}  // namespace shopbell::proofs
