#include "http/reference/problem_pages.h"

#include <format>
#include <map>
#include <memory>

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
struct Variants {
  Response html;
  Response json;
};

std::shared_ptr<const Variants> variants(Response html, Response json) {
  json.headers.emplace_back("Cache-Control", "no-cache");
  for (Response* response : {&html, &json}) {
    response->headers.emplace_back("Vary", "Accept");
    response->share_body();
  }
  return std::make_shared<const Variants>(std::move(html), std::move(json));
}

boost::asio::awaitable<Response> serve(const Request& request,
                                       std::shared_ptr<const Variants> page) {
  if (!page) throw Problem{Code::not_found, "No problem has this code."};
  co_return wants_html(request) ? page->html : page->json;
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

std::string list_json() {
  json::Writer writer;
  writer.begin_object().key("data").begin_list();
  for (const auto& kind : problem_kinds()) write_kind(writer, kind);
  writer.end().end();
  return writer.finish();
}

std::string explaining_json(const ProblemKind& kind) {
  json::Writer writer;
  write_kind(writer, kind);
  return writer.finish();
}

using Pages = std::map<std::string, std::shared_ptr<const Variants>, std::less<>>;

Pages explaining_pages() {
  Pages pages;
  for (const auto& kind : problem_kinds())
    pages[kind.name] = variants(explaining_page(kind), Response::json(explaining_json(kind)));
  return pages;
}

}  // namespace

std::vector<Route> problem_routes() {
  return {page_route("listProblems", "/problems/",
                     [list = variants(list_page(), Response::json(list_json()))](
                         const Request& request, const operations::Parameters&) {
                       return serve(request, list);
                     }),
          page_route("explainProblem", "/problems/{code}",
                     [pages = std::make_shared<const Pages>(explaining_pages())](
                         const Request& request, const operations::Parameters& path) {
                       const auto found = pages->find(path.front().second);
                       return serve(request, found == pages->end() ? nullptr : found->second);
                     })};
}

}  // namespace shopbell::http
