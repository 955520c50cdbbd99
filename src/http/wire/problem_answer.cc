#include "http/wire/problem_answer.h"

#include <algorithm>
#include <format>

#include "http/reference/html.h"
#include "json/reading.h"

namespace shopbell::http {

namespace {

void write_kind(json::Writer& writer, const ProblemKind& kind) {
  writer.begin_object();
  writer.key("code").text(kind.name);
  writer.key("status").integer(kind.status);
  writer.key("title").text(kind.title);
  writer.key("mend").text(kind.mend);
  writer.end();
}

bool wants_html(const Call& call) { return call.request().header("accept").contains("text/html"); }

// The same path has a page for people and JSON for programs.
Response varied(Response response) {
  response.headers.emplace_back("Vary", "Accept");
  return response;
}

Response list_page() {
  std::string rows;
  for (const auto& kind : problem_kinds()) {
    rows += std::format("<dt><a href=\"{0}\"><code>{0}</code></a></dt>\n<dd>{1}: {2}. {3}</dd>\n",
                        kind.name, kind.status, escape_html(kind.title), prose_html(kind.mend));
  }
  return html_page("Problems · Shopbell",
                   std::format("<main class=\"alone\">\n<h1>Problems</h1>\n"
                               "<p>Every error names one of these codes. "
                               "<a href=\"../docs\">The whole interface</a></p>\n"
                               "<dl>\n{}</dl>\n</main>\n",
                               rows));
}

Response explaining_page(const ProblemKind& kind) {
  return html_page(
      std::format("{} · Shopbell", kind.name),
      std::format("<main class=\"alone\">\n<h1>{}</h1>\n"
                  "<p class=\"quiet\"><code>{}</code>, status {}</p>\n<p>{}</p>\n"
                  "<p><a href=\"./\">All problems</a> · "
                  "<a href=\"../docs\">The whole interface</a></p>\n</main>\n",
                  escape_html(kind.title), kind.name, kind.status, prose_html(kind.mend)));
}

boost::asio::awaitable<Response> list_problems(Call call) {
  if (wants_html(call)) co_return varied(list_page());
  json::Writer writer;
  writer.begin_object().key("data").begin_list();
  for (const auto& kind : problem_kinds()) write_kind(writer, kind);
  writer.end().end();
  co_return varied(Response::json(writer.finish()));
}

boost::asio::awaitable<Response> explain_problem(Call call) {
  const auto kind = std::ranges::find(problem_kinds(), call.path("code"), &ProblemKind::name);
  if (kind == problem_kinds().end())
    throw Problem{Code::not_found, "There is no problem of that code."};
  if (wants_html(call)) co_return varied(explaining_page(*kind));
  json::Writer writer;
  write_kind(writer, *kind);
  co_return varied(Response::json(writer.finish()));
}

}  // namespace

Response problem_answer(const Problem& problem, std::string_view base_path,
                        std::string_view instance, std::string_view request_id) {
  const ProblemKind& kind = kind_of(problem.code());
  json::Writer writer;
  writer.begin_object();
  writer.key("type").text(std::format("{}/problems/{}", base_path, kind.name));
  writer.key("title").text(kind.title);
  writer.key("status").integer(kind.status);
  writer.key("detail").text(problem.detail());
  writer.key("instance").text(instance);
  writer.key("code").text(kind.name);
  writer.key("requestId").text(request_id);
  for (const auto& [name, value] : problem.members()) writer.key(name).json(value);
  if (!problem.faults().empty()) {
    writer.key("errors");
    json::write(writer, problem.faults());
  }
  writer.end();
  return {.status = kind.status,
          .content_type = "application/problem+json",
          .body = writer.finish(),
          .headers = problem.headers()};
}

json::Schema problem_schema() {
  const auto text = [](std::string description) {
    return json::Schema{.type = "string", .description = std::move(description)};
  };
  json::Schema problem{.type = "object",
                       .description = "RFC 9457. Programs read `code`, people read `detail`."};
  problem.members = {{"type", text("Where the problem is explained.")},
                     {"title", text("What kind of problem it is.")},
                     {"status", {.type = "integer"}},
                     {"detail", text("What happened this time.")},
                     {"instance", text("The path of the request.")},
                     {"code", text("Stable name of the kind.")},
                     {"requestId", text("To find the request in the service's log.")}};
  json::Schema policies{.type = "array", .description = "Which rate limits were hit."};
  policies.items = {{.type = "string"}};
  json::Schema contacts{.type = "array",
                        .description = "The contacts that the request's identifiers belong to."};
  contacts.items = {{.type = "string", .format = "uuid"}};
  problem.optional_members = {{"violated-policies", std::move(policies)},
                              {"contactIds", std::move(contacts)},
                              {"errors",
                               {.type = "array",
                                .description = "Every fault of the request at once.",
                                .items = {json::fault_schema()}}}};
  return problem;
}

std::vector<Route> problem_routes() {
  const auto page = [](std::string id, std::string path, Handler handler) {
    return Route{Method::get, std::move(path), Access::anybody(), std::move(handler),
                 Operation{.id = std::move(id), .tag = "Problems", .listed = false}};
  };
  return {page("listProblems", "/problems/", list_problems),
          page("explainProblem", "/problems/{code}", explain_problem)};
}

}  // namespace shopbell::http
