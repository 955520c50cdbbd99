#include "http/reference/problem_pages.h"

#include <algorithm>
#include <format>

#include "http/reference/html.h"
#include "json/reading.h"
#include "json/writer.h"

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

bool wants_html(const Request& request) { return request.header("accept").contains("text/html"); }

// The same path serves HTML to browsers and JSON to programs.
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
                   std::format("<main class=\"alone\">\n<h1>Problems</h1>\n<p>Every error has one "
                               "of these codes. <a href=\"../docs\">API "
                               "reference</a></p>\n<dl>\n{}</dl>\n</main>\n",
                               rows));
}

Response explaining_page(const ProblemKind& kind) {
  return html_page(
      std::format("{} · Shopbell", kind.name),
      std::format("<main class=\"alone\">\n<h1>{}</h1>\n"
                  "<p class=\"quiet\"><code>{}</code>, status {}</p>\n<p>{}</p>\n"
                  "<p><a href=\"./\">All problems</a> · "
                  "<a href=\"../docs\">API reference</a></p>\n</main>\n",
                  escape_html(kind.title), kind.name, kind.status, prose_html(kind.mend)));
}

boost::asio::awaitable<Response> list_problems(const Request& request) {
  if (wants_html(request)) co_return varied(list_page());
  json::Writer writer;
  writer.begin_object().key("data").begin_list();
  for (const auto& kind : problem_kinds()) write_kind(writer, kind);
  writer.end().end();
  co_return varied(Response::json(writer.finish()));
}

boost::asio::awaitable<Response> explain_problem(const Request& request, const std::string& code) {
  const auto kind = std::ranges::find(problem_kinds(), code, &ProblemKind::name);
  if (kind == problem_kinds().end()) throw Problem{Code::not_found, "No problem has this code."};
  if (wants_html(request)) co_return varied(explaining_page(*kind));
  json::Writer writer;
  write_kind(writer, *kind);
  co_return varied(Response::json(writer.finish()));
}

}  // namespace

std::vector<Route> problem_routes() {
  return {page_route("listProblems", "/problems/",
                     [](const Request& request, const operations::Parameters&) {
                       return list_problems(request);
                     }),
          page_route("explainProblem", "/problems/{code}",
                     [](const Request& request, const operations::Parameters& path) {
                       return explain_problem(request, path.front().second);
                     })};
}

}  // namespace shopbell::http
