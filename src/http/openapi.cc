#include "http/openapi.h"

#include <algorithm>
#include <format>
#include <map>
#include <set>

#include "http/path.h"
#include "http/problem_answer.h"
#include "http/version.h"

namespace shopbell::http {

namespace {

std::string lower_name(Method method) {
  std::string name{name_of(method)};
  std::ranges::transform(name, name.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return name;
}

void write_parameter(json::Writer& writer, std::string_view in, const std::string& name,
                     const std::string& description, const json::Schema& schema) {
  writer.begin_object();
  writer.key("name").text(name);
  writer.key("in").text(in);
  if (in == "path") writer.key("required").boolean(true);
  if (!description.empty()) writer.key("description").text(description);
  writer.key("schema");
  json::write(writer, schema);
  writer.end();
}

void write_parameters(json::Writer& writer, const Route& route) {
  writer.key("parameters").begin_list();
  const auto path = split_path(route.path);
  for (const auto& segment : path->segments) {
    if (!segment.starts_with('{')) continue;
    write_parameter(writer, "path", segment.substr(1, segment.size() - 2), "", {.type = "string"});
  }
  for (const auto& [name, description, schema] : route.operation.parameters) {
    write_parameter(writer, "query", name, description, schema);
  }
  writer.end();
}

// What an operation may answer besides success, by status: its own problems and those the pipeline
// adds.
std::map<int, std::set<std::string>> problems_of(const Route& route) {
  std::vector<Code> codes{Code::malformed_request, Code::path_too_long,     Code::headers_too_large,
                          Code::body_too_large,    Code::unknown_parameter, Code::invalid_parameter,
                          Code::internal,          Code::unavailable,       Code::timeout};
  if (route.access.needs_key()) {
    codes.insert(codes.end(), {Code::unauthorized, Code::key_revoked, Code::key_expired,
                               Code::scope_missing, Code::account_suspended});
  }
  codes.insert(codes.end(), route.operation.problems.begin(), route.operation.problems.end());
  std::map<int, std::set<std::string>> by_status;
  for (const Code code : codes) by_status[kind_of(code).status].insert(kind_of(code).name);
  return by_status;
}

void write_content(json::Writer& writer, std::string_view media_type,
                   const std::string& schema_name) {
  writer.key("content").begin_object().key(media_type).begin_object().key("schema");
  json::write(writer, {.reference = schema_name});
  writer.end().end();
}

void write_answers(json::Writer& writer, const Route& route) {
  writer.key("responses").begin_object();
  writer.key("200").begin_object().key("description").text(route.operation.summary);
  writer.key("headers").begin_object();
  for (const auto* header : {"ETag", "X-Request-Id", "Shopbell-Version"}) {
    writer.key(header)
        .begin_object()
        .key("schema")
        .begin_object()
        .key("type")
        .text("string")
        .end()
        .end();
  }
  writer.end();
  write_content(writer, "application/json", route.operation.answer_name);
  writer.end();
  writer.key("304")
      .begin_object()
      .key("description")
      .text("Not changed since the ETag in If-None-Match.")
      .end();
  for (const auto& [status, names] : problems_of(route)) {
    std::string list;
    for (const auto& name : names) list += std::format("{}`{}`", list.empty() ? "" : ", ", name);
    writer.key(std::to_string(status)).begin_object().key("description").text(list);
    write_content(writer, "application/problem+json", "Problem");
    writer.end();
  }
  writer.end();
}

void write_operation(json::Writer& writer, const Route& route) {
  const Operation& operation = route.operation;
  writer.key(lower_name(route.method)).begin_object();
  writer.key("operationId").text(operation.id);
  writer.key("tags").begin_list().text(operation.tag).end();
  writer.key("summary").text(operation.summary);
  if (!operation.description.empty()) writer.key("description").text(operation.description);
  writer.key("security").begin_list();
  if (route.access.needs_key()) writer.begin_object().key("key").begin_list().end().end();
  writer.end();
  if (route.access.needs_key()) writer.key("x-scope").text(route.access.scope_name());
  write_parameters(writer, route);
  write_answers(writer, route);
  writer.end();
}

void write_components(json::Writer& writer, const std::vector<Route>& routes) {
  std::map<std::string, json::Schema> schemas{{"Problem", problem_schema()}};
  for (const auto& route : routes) {
    if (!route.operation.answer_name.empty())
      schemas[route.operation.answer_name] = route.operation.answer;
  }
  writer.key("components").begin_object();
  writer.key("securitySchemes").begin_object().key("key").begin_object();
  writer.key("type").text("http").key("scheme").text("bearer");
  writer.key("description")
      .text("`sb_live_…` opens the store's account, `sb_test_…` its test account.")
      .end()
      .end();
  writer.key("schemas").begin_object();
  for (const auto& [name, schema] : schemas) {
    writer.key(name);
    json::write(writer, schema);
  }
  writer.end().end();
}

boost::asio::awaitable<Response> serve_document(std::shared_ptr<const std::string> document) {
  co_return Response::json(*document);
}

}  // namespace

std::string openapi_document(const std::vector<Route>& routes, const std::string& base_path) {
  json::Writer writer;
  writer.begin_object();
  writer.key("openapi").text("3.1.0");
  writer.key("info").begin_object();
  writer.key("title").text("Shopbell");
  writer.key("version").text(kInterfaceVersion);
  writer.key("description")
      .text("Marketing automation for stores. Every error is a problem (RFC 9457).");
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

  std::map<std::string, std::vector<const Route*>> by_path;
  for (const auto& route : routes) {
    if (route.operation.listed) by_path[route.path].push_back(&route);
  }
  writer.key("paths").begin_object();
  for (const auto& [path, of_path] : by_path) {
    writer.key(path).begin_object();
    for (const auto* route : of_path) write_operation(writer, *route);
    writer.end();
  }
  writer.end();
  write_components(writer, routes);
  writer.end();
  return writer.finish(json::Writer::Layout::indented) + "\n";
}

Route openapi_route(const std::vector<Route>& routes, const std::string& base_path) {
  const auto document = std::make_shared<const std::string>(openapi_document(routes, base_path));
  return {Method::get, "/openapi.json", Access::anybody(),
          [document](Call) -> boost::asio::awaitable<Response> { return serve_document(document); },
          Operation{.id = "getOpenapi", .tag = "Interface", .listed = false}};
}

}  // namespace shopbell::http
