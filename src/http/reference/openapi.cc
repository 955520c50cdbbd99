#include "http/reference/openapi.h"

#include <algorithm>
#include <format>
#include <map>
#include <set>

#include "http/reference/openapi_answers.h"
#include "http/reference/openapi_body.h"
#include "http/reference/openapi_sharing.h"
#include "http/wire/path.h"
#include "http/wire/problem_answer.h"
#include "http/wire/version.h"

namespace shopbell::http {

namespace {

std::string lower_name(Method method) {
  std::string name{name_of(method)};
  std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return name;
}

std::string parameter_json(std::string_view in, const std::string& name,
                           const std::string& description, const json::Schema& schema) {
  json::Writer writer;
  writer.begin_object();
  writer.key("name").text(name);
  writer.key("in").text(in);
  if (in == "path") writer.key("required").boolean(true);
  if (!description.empty()) writer.key("description").text(description);
  writer.key("schema");
  json::write(writer, schema);
  writer.end();
  return writer.finish();
}

// Request headers: components that operations refer to.
const std::vector<RequestHeader>& request_headers() {
  static const std::vector<RequestHeader> headers{
      {"IdempotencyKey",
       "Idempotency-Key",
       "The request takes effect once, even if it is sent several times within 7 days. Repetitions "
       "get the first response, with `Idempotent-Replayed: true`.",
       {.type = "string", .pattern = "^[!-~]{1,255}$"}},
      {"IfMatch",
       "If-Match",
       "Apply the request only if the object still has this ETag; `*`: only if the object exists.",
       {.type = "string"}},
      {"IfNoneMatch",
       "If-None-Match",
       "On a read: 304 if the object has this ETag. On a write, `*`: only if the object does not "
       "exist.",
       {.type = "string"}},
      {"Prefer",
       "Prefer",
       "`handling=lenient` ignores unknown members and invalid optional values instead of refusing "
       "the body, and lists them in `warnings`. `respond-async` applies to custom events, if the "
       "operator has configured Kafka. Other preferences are ignored.",
       {.type = "string", .example = R"("handling=lenient")"}}};
  return headers;
}

// Parameters by name, as JSON. Those in headers are components of their own.
std::vector<std::pair<std::string, std::string>> parameters_of(const Operation& route) {
  std::vector<std::pair<std::string, std::string>> parameters;
  const auto path = split_path(route.path);
  for (const auto& segment : path->segments) {
    if (!segment.starts_with('{')) continue;
    const std::string name = segment.substr(1, segment.size() - 2);
    parameters.emplace_back(
        name, parameter_json("path", name, std::format("The `{}` of the object.", name),
                             {.type = "string", .length_min = 1}));
  }
  for (const auto& [name, description, schema] : route.description.parameters)
    parameters.emplace_back(name, parameter_json("query", name, description, schema));
  return parameters;
}

// The components that operations share.
struct Shared {
  explicit Shared(const std::vector<Operation>& routes) {
    for (const auto& route : routes) {
      if (!route.description.listed) continue;
      for (const auto& [name, json] : parameters_of(route)) parameters.count(name, json);
      for (const auto& [status, json] : answers_of(route)) answers.count(status, json);
    }
  }

  SharedComponents parameters{"parameters"};
  SharedComponents answers{"responses"};
};

void write_scopes(json::Writer& writer, std::string_view name,
                  const std::vector<std::string>& scopes) {
  if (scopes.empty()) return;
  writer.key(name).begin_list();
  for (const auto& scope : scopes) writer.text(scope);
  writer.end();
}

void write_operation(json::Writer& writer, const Operation& route, const Shared& shared) {
  const operations::Description& operation = route.description;
  writer.key(lower_name(route.method)).begin_object();
  writer.key("operationId").text(operation.id);
  writer.key("tags").begin_list().text(operation.tag).end();
  writer.key("summary").text(operation.summary);
  if (!operation.description.empty()) writer.key("description").text(operation.description);
  if (operation.deprecated()) writer.key("deprecated").boolean(true);
  if (!route.access.needs_key()) writer.key("security").begin_list().end();
  if (route.access.needs_key()) writer.key("x-scope").text(route.access.scope_name());
  write_scopes(writer, "x-further-scopes", operation.further_scopes);
  write_scopes(writer, "x-read-scopes", operation.read_scopes);
  writer.key("parameters").begin_list();
  for (const auto& [name, json] : parameters_of(route)) shared.parameters.write(writer, json);
  for (const auto& header : request_headers_of(route))
    write_reference(writer, "parameters", header.component);
  writer.end();
  write_body(writer, route);
  writer.key("responses").begin_object();
  for (const auto& [status, json] : answers_of(route))
    shared.answers.write(writer.key(status), json);
  writer.end().end();
}

void write_shared(json::Writer& writer, const Shared& shared) {
  writer.key("parameters").begin_object();
  for (const auto& [component, name, description, schema] : request_headers()) {
    writer.key(component).json(
        parameter_json("header", std::string{name}, std::string{description}, schema));
  }
  shared.parameters.write_all(writer);
  writer.end().key("responses").begin_object();
  shared.answers.write_all(writer);
  writer.end().key("headers").begin_object();
  write_answer_headers(writer);
  writer.end();
}

void write_components(json::Writer& writer, const std::vector<Operation>& routes,
                      const Shared& shared) {
  writer.key("components").begin_object();
  writer.key("securitySchemes").begin_object().key("key").begin_object();
  writer.key("type").text("http").key("scheme").text("bearer");
  writer.key("description")
      .text(
          "`sb_live_…` keys belong to the store's live account, `sb_test_…` keys to its test "
          "account.")
      .end()
      .end();
  write_shared(writer, shared);
  writer.key("schemas").begin_object();
  for (const auto& [name, schema] : share_schemas(named_schemas(routes))) {
    writer.key(name);
    json::write(writer, schema);
  }
  writer.end().end();
}

void write_tags(json::Writer& writer, const std::vector<Operation>& routes) {
  std::map<std::string, std::string> tags;
  for (const auto& route : routes) {
    if (!route.description.listed) continue;
    auto& description = tags[route.description.tag];
    if (description.empty()) description = route.description.tag_description;
  }
  writer.key("tags").begin_list();
  for (const auto& [name, description] : tags) {
    writer.begin_object().key("name").text(name);
    writer.key("description").text(description).end();
  }
  writer.end();
}

}  // namespace

NamedSchemas named_schemas(const std::vector<Operation>& routes) {
  NamedSchemas named{{"Problem", problem_schema()}};
  for (const auto& route : routes) {
    const operations::Description& operation = route.description;
    if (!operation.answer_name.empty()) named[operation.answer_name] = operation.answer;
    if (operation.body) named[operation.body->name] = operation.body->schema;
    if (operation.upload) named[operation.upload->name] = operation.upload->form;
  }
  return named;
}

std::string reduced_answer_note(const operations::Description& operation) {
  if (operation.read_scopes.empty()) return "";
  std::string scopes;
  for (const auto& scope : operation.read_scopes)
    scopes += std::format("{}`{}`", scopes.empty() ? "" : " or ", scope);
  std::string members = "`id`, `warnings`";
  for (const auto& name : operation.shown_once) members += std::format(", `{}`", name);
  return std::format("A key without {} gets only {} and the members that the request wrote.",
                     scopes, members);
}

std::vector<RequestHeader> request_headers_of(const Operation& route) {
  const operations::Description& operation = route.description;
  const bool reads = is_read(route);
  const auto has = [&](std::string_view component) {
    if (component == "IdempotencyKey") return !reads;
    if (component == "IfMatch") return !reads && operation.versioned;
    if (component == "IfNoneMatch") return has_tag(operation);
    return component == "Prefer" && operation.body.has_value();
  };
  std::vector<RequestHeader> headers;
  std::ranges::copy_if(request_headers(), std::back_inserter(headers), has,
                       &RequestHeader::component);
  return headers;
}

std::map<int, std::set<std::string>> problems_of(const Operation& route) {
  std::vector<Code> codes{Code::malformed_request, Code::path_too_long,     Code::headers_too_large,
                          Code::body_too_large,    Code::unknown_parameter, Code::invalid_parameter,
                          Code::internal,          Code::unavailable,       Code::timeout,
                          Code::quota_exceeded};
  if (route.access.needs_key()) {
    codes.insert(codes.end(), {Code::unauthorized, Code::key_revoked, Code::key_expired,
                               Code::scope_missing, Code::account_suspended});
  }
  if (route.description.deprecated()) codes.push_back(Code::operation_retired);
  if (!is_read(route)) {
    codes.insert(codes.end(), {Code::idempotency_key_invalid, Code::idempotency_key_reused,
                               Code::idempotency_in_progress});
    if (route.description.versioned) codes.push_back(Code::precondition_failed);
  }
  if (route.description.body || route.description.upload) {
    codes.insert(codes.end(),
                 {Code::invalid_body, Code::unsupported_media_type, Code::unsupported_encoding});
  }
  if (route.description.body) codes.push_back(Code::malformed_json);
  if (route.description.upload)
    codes.insert(codes.end(), {Code::malformed_form, Code::upload_too_slow});
  codes.insert(codes.end(), route.description.problems.begin(), route.description.problems.end());
  std::map<int, std::set<std::string>> by_status;
  for (const Code code : codes) by_status[kind_of(code).status].insert(kind_of(code).name);
  return by_status;
}

std::string openapi_document(const std::vector<Operation>& routes, const std::string& base_path,
                             json::Writer::Layout layout) {
  const Shared shared{routes};
  json::Writer writer;
  writer.begin_object();
  writer.key("openapi").text("3.1.0");
  writer.key("info").begin_object();
  writer.key("title").text("Shopbell");
  writer.key("version").text(kInterfaceVersion);
  writer.key("description")
      .text(
          "Marketing automation for stores. Every error is a problem (RFC 9457). A write returns "
          "the whole resource to a key with one of the `x-read-scopes`; other keys get only `id`, "
          "`warnings`, secrets that are shown once, and the members that the request wrote. Every "
          "response has `X-Request-Id` and `Shopbell-Version`; with a key also `RateLimit` "
          "(remaining quota r, seconds t until it is full) and `RateLimit-Policy` (q requests per "
          "w seconds).");
  writer.key("license")
      .begin_object()
      .key("name")
      .text("Apache-2.0")
      .key("identifier")
      .text("Apache-2.0")
      .end();
  writer.end();
  writer.key("servers")
      .begin_list()
      .begin_object()
      .key("url")
      .text(base_path.empty() ? "/" : base_path)
      .end()
      .end();

  writer.key("security").begin_list().begin_object().key("key").begin_list().end().end().end();
  write_tags(writer, routes);
  std::map<std::string, std::vector<const Operation*>> by_path;
  for (const auto& route : routes) {
    if (route.description.listed) by_path[route.path].push_back(&route);
  }
  writer.key("paths").begin_object();
  for (const auto& [path, of_path] : by_path) {
    writer.key(path).begin_object();
    for (const auto* route : of_path) write_operation(writer, *route, shared);
    writer.end();
  }
  writer.end();
  write_components(writer, routes, shared);
  writer.end();
  return writer.finish(layout) + "\n";
}

Route openapi_route(const std::vector<Operation>& routes, const std::string& base_path) {
  Response page =
      Response::json(openapi_document(routes, base_path, json::Writer::Layout::compact));
  page.headers.emplace_back("Cache-Control", "no-cache");
  return fixed_route("getOpenapi", "/openapi.json", std::move(page));
}

}  // namespace shopbell::http
