#include "http/reference/openapi_answers.h"

#include <algorithm>
#include <array>
#include <format>
#include <set>

#include "http/reference/openapi.h"
#include "http/reference/openapi_sharing.h"

namespace shopbell::http {

namespace {

void write_content(json::Writer& writer, std::string_view media_type,
                   const std::string& schema_name) {
  writer.key("content").begin_object().key(media_type).begin_object().key("schema");
  json::write(writer, {.reference = schema_name});
  writer.end().end();
}

// Response headers: components that operations refer to.
struct AnswerHeader {
  std::string_view name;
  std::string_view description;
  bool always = false;  // present in every response that lists it
};

// The headers that every response has are described once, at the top of the document.
constexpr std::array<AnswerHeader, 10> kAnswerHeaders{{
    {"ETag", "The version of the object, for If-Match and If-None-Match.", true},
    {"Location", "Path of the new object.", true},
    {"Link", "The next page, if there is one; for a deprecated operation, its successor."},
    {"Idempotent-Replayed",
     "`true`: this is the stored response of the first request with the "
     "key."},
    {"Preference-Applied", "The preference that was applied."},
    {"Shopbell-Applied",
     "`stale`: the write was older than the stored data and changed nothing. `consent`: it changed "
     "only consent."},
    {"Deprecation", "Time since which the operation is deprecated.", true},
    {"Sunset", "Time until which the operation is guaranteed to work.", true},
    {"Retry-After", "Seconds to wait before a retry."},
    {"WWW-Authenticate", "The authentication scheme, with an error code if a key was sent.", true},
}};

std::vector<std::string_view> answer_headers_of(const Operation& route, int status) {
  std::vector<std::string_view> names;
  const operations::Description& operation = route.description;
  if (operation.success != 204 && has_tag(operation)) names.push_back("ETag");
  if (status == 201 && operation.located) names.push_back("Location");
  if (std::ranges::contains(operation.parameters, "cursor", &operations::QueryParameter::name))
    names.push_back("Link");
  if (!is_read(route)) names.push_back("Idempotent-Replayed");
  if (operation.body) names.push_back("Preference-Applied");
  if (operation.may_create) names.push_back("Shopbell-Applied");
  if (operation.deprecated()) names.insert(names.end(), {"Deprecation", "Sunset", "Link"});
  return names;
}

// Headers that tell the client how to proceed.
std::vector<std::string_view> problem_headers_of(int status) {
  if (status == 401) return {"WWW-Authenticate"};
  if (status == 409 || status == 429 || status == 503) return {"Retry-After"};
  return {};
}

void write_headers(json::Writer& writer, const std::vector<std::string_view>& names) {
  if (names.empty()) return;
  writer.key("headers").begin_object();
  for (const auto name : names) {
    writer.key(name);
    write_reference(writer, "headers", name);
  }
  writer.end();
}

std::string_view success_text(int status) {
  if (status == 201) return "Created.";
  if (status == 202) return "Queued: it will be created.";
  return status == 204 ? "Done." : "The request succeeded.";
}

std::string success_json(const Operation& route, int status) {
  json::Writer writer;
  writer.begin_object().key("description").text(success_text(status));
  write_headers(writer, answer_headers_of(route, status));
  if (!route.description.answer_name.empty())
    write_content(writer, "application/json", route.description.answer_name);
  writer.end();
  return writer.finish();
}

std::string problem_json(int status, const std::set<std::string>& codes) {
  std::string list;
  for (const auto& code : codes) list += std::format("{}`{}`", list.empty() ? "" : ", ", code);
  json::Writer writer;
  writer.begin_object().key("description").text(list);
  write_headers(writer, problem_headers_of(status));
  write_content(writer, "application/problem+json", "Problem");
  writer.end();
  return writer.finish();
}

}  // namespace

bool is_read(const Operation& route) { return route.method == Method::get; }

bool has_tag(const operations::Description& operation) {
  return operation.versioned || operation.hashed;
}

std::vector<std::pair<std::string, std::string>> answers_of(const Operation& route) {
  const operations::Description& operation = route.description;
  std::vector<int> statuses{operation.success};
  if (operation.may_create) statuses.push_back(201);
  if (operation.may_queue) statuses.push_back(202);
  std::vector<std::pair<std::string, std::string>> answers;
  answers.reserve(statuses.size());
  for (const int status : statuses)
    answers.emplace_back(std::to_string(status), success_json(route, status));
  if (is_read(route) && has_tag(operation))
    answers.emplace_back("304",
                         R"({"description":"The object still has the ETag in If-None-Match."})");
  // Every operation has the same server errors: one response for all of them.
  std::set<std::string> server_errors;
  for (const auto& [status, codes] : problems_of(route)) {
    if (status < 500) {
      answers.emplace_back(std::to_string(status), problem_json(status, codes));
    } else {
      server_errors.insert(codes.begin(), codes.end());
    }
  }
  answers.emplace_back("5XX", problem_json(503, server_errors));
  return answers;
}

void write_answer_headers(json::Writer& writer) {
  for (const auto& [name, description, always] : kAnswerHeaders) {
    writer.key(name).begin_object().key("description").text(description);
    if (always) writer.key("required").boolean(true);
    writer.key("schema").begin_object().key("type").text("string").end().end();
  }
}

}  // namespace shopbell::http
