#include "http/reference/docs_page.h"

#include <algorithm>
#include <format>
#include <map>

#include "base/fault_kinds.h"
#include "http/reference/docs_calls.h"
#include "http/reference/docs_members.h"
#include "http/reference/html.h"
#include "http/reference/openapi.h"
#include "http/wire/version.h"
#include "http/wire/wire.h"

namespace shopbell::http {

namespace {

struct Chapter {
  std::string description;
  std::vector<const Operation*> routes;
};

// Operations by tag, as in OpenAPI.
using Chapters = std::map<std::string, Chapter>;

Chapters chapters_of(const std::vector<Operation>& routes) {
  Chapters chapters;
  for (const auto& route : routes) {
    if (!route.description.listed) continue;
    Chapter& chapter = chapters[route.description.tag];
    if (chapter.description.empty()) chapter.description = route.description.tag_description;
    chapter.routes.push_back(&route);
  }
  return chapters;
}

// "Contact fields" → "tag-contact-fields". The hyphen prevents a clash with operation ids.
std::string anchor_of(std::string_view tag) {
  std::string anchor = "tag-";
  for (const char c : tag) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    anchor += plain ? static_cast<char>(upper ? c + 32 : c) : '-';
  }
  return anchor;
}

std::string method_html(Method method) {
  const std::string_view name = name_of(method);
  std::string style{name};
  std::ranges::transform(style, style.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  return std::format("<span class=\"method {}\">{}</span>", style, name);
}

std::string navigation(const Chapters& chapters) {
  std::string html =
      "<nav aria-label=\"Contents\">\n<p><strong>Shopbell</strong></p>\n<ul>\n"
      "<li><a href=\"#how-to-call\">Using the API</a></li>\n"
      "<li><a href=\"#all-problems\">All error codes</a></li>\n"
      "<li><a href=\"openapi.json\">OpenAPI document</a></li>\n</ul>\n";
  for (const auto& [tag, chapter] : chapters) {
    html += std::format("<h2><a href=\"#{}\">{}</a></h2>\n", anchor_of(tag), escape_html(tag));
    html += std::format("<p class=\"quiet\">{}</p>\n<ul>\n", prose_html(chapter.description));
    for (const auto* route : chapter.routes) {
      html += std::format("<li><a href=\"#{}\">{} <span>{}</span></a></li>\n",
                          escape_html(route->description.id), method_html(route->method),
                          escape_html(route->description.summary));
    }
    html += "</ul>\n";
  }
  return html + "</nav>\n";
}

const ProblemKind& kind_named(const std::string& name) {
  return *std::ranges::find(problem_kinds(), name, &ProblemKind::name);
}

std::string problem_link(const std::string& code) {
  return std::format("<a href=\"problems/{0}\"><code>{0}</code></a>", escape_html(code));
}

std::string problems_html(const Operation& route) {
  std::string rows;
  std::size_t count = 0;
  for (const auto& [status, codes] : problems_of(route)) {
    rows += std::format("<tr><th scope=\"row\">{} {}</th><td><ul>\n", status, reason_of(status));
    for (const auto& code : codes) {
      rows +=
          std::format("<li>{} {}</li>\n", problem_link(code), escape_html(kind_named(code).title));
      ++count;
    }
    rows += "</ul></td></tr>\n";
  }
  return std::format(
      "<details>\n<summary>Problems ({})</summary>\n{}</details>\n", count,
      scrolling_table("Problems of " + route.description.id, "Status|Problem", rows));
}

std::string answer_html(const Operation& route, const NamedSchemas& named) {
  const operations::Description& operation = route.description;
  const std::string status = std::format("{} {}", operation.success, reason_of(operation.success));
  if (operation.answer_name.empty()) {
    return std::format("<p><strong>Response:</strong> {}{}</p>\n", status,
                       operation.success == 204 ? ", without a body" : "");
  }
  return std::format("<details>\n<summary>Response: {}, {}</summary>\n{}</details>\n", status,
                     escape_html(operation.answer_name),
                     member_table(operation.answer, named, Side::answer,
                                  "Members of the response of " + operation.id));
}

std::string operation_html(const Operation& route, const NamedSchemas& named) {
  const operations::Description& operation = route.description;
  const std::string id = escape_html(operation.id);
  std::string html =
      std::format("<section id=\"{0}\">\n<h3><a href=\"#{0}\">{1} <code>{2}</code></a></h3>\n", id,
                  method_html(route.method), escape_html(route.path));
  html += std::format("<p class=\"summary\">{}</p>\n", prose_html(operation.summary));
  if (!operation.description.empty())
    html += std::format("<p>{}</p>\n", prose_html(operation.description));
  html += route.access.needs_key()
              ? std::format("<p class=\"quiet\">Needs a key with the scope <code>{}</code>.</p>\n",
                            escape_html(route.access.scope_name()))
              : "<p class=\"quiet\">Needs no key.</p>\n";
  for (const auto& scope : operation.further_scopes)
    html +=
        std::format("<p class=\"quiet\">Some requests also need the scope <code>{}</code>.</p>\n",
                    escape_html(scope));
  if (const std::string note = reduced_answer_note(operation); !note.empty())
    html += std::format("<p class=\"quiet\">{}</p>\n", prose_html(note));
  if (const std::string table = parameter_table(route); !table.empty())
    html += "<h4>Parameters and headers</h4>\n" + table;
  if (operation.body) {
    html += std::format("<h4>Body: {}</h4>\n", escape_html(operation.body->name));
    html += member_table(operation.body->schema, named, Side::request,
                         "Members of the body of " + operation.id);
  }
  if (operation.upload) {
    html += std::format("<h4>Body: {}, as <code>multipart/form-data</code></h4>\n",
                        escape_html(operation.upload->name));
    html += member_table(operation.upload->form, named, Side::request,
                         "Parts of the body of " + operation.id);
    for (const auto& alone : operation.upload->alone)
      html += std::format("<p class=\"quiet\">Or as <code>{}</code>: {}</p>\n",
                          escape_html(alone.media_type), prose_html(alone.description));
  }
  html += "<h4>Example</h4>\n" + command_html(curl_command(route, named));
  return html + answer_html(route, named) + problems_html(route) + "</section>\n";
}

// A table of all codes, for readers who look up a code.
std::string all_problems() {
  std::string rows;
  for (const auto& kind : problem_kinds()) {
    rows += std::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        problem_link(kind.name), kind.status, escape_html(kind.title),
                        prose_html(kind.mend));
  }
  std::string faults;
  for (const auto& kind : kFaultKinds) {
    faults += std::format("<tr><th scope=\"row\"><code>{}</code></th><td>{}</td></tr>\n", kind.code,
                          prose_html(kind.meaning));
  }
  return std::format(
      "<h2 id=\"all-problems\">All error codes</h2>\n"
      "<p>The values of <code>code</code> in an error response, and what to do about them.</p>\n{}"
      "<h3>In errors[]</h3>\n"
      "<p>The values of <code>code</code> in a fault.</p>\n{}",
      scrolling_table("All problems", "Code|Status|Title|What to do", rows),
      scrolling_table("Codes of faults", "Code|Meaning", faults));
}

}  // namespace

Response docs_page(const std::vector<Operation>& routes, const std::string& base_path) {
  const Chapters chapters = chapters_of(routes);
  const NamedSchemas named = named_schemas(routes);
  std::string body = std::format(
      "<a class=\"skip\" href=\"#main-content\">Skip to the content</a>\n"
      "<div class=\"frame\">\n{}<main id=\"main-content\">\n<h1>Shopbell API reference</h1>\n"
      "<p>A shop's backend sends its customers and their events to Shopbell over HTTP. This page "
      "lists all operations, and is generated from the tables that the service uses. API version "
      "{}; changes are additive.</p>\n"
      "<p><a href=\"openapi.json\">openapi.json</a> is the same as OpenAPI 3.1, for programs.</p>"
      "\n{}",
      navigation(chapters), kInterfaceVersion, how_to_call(routes, named, base_path));
  for (const auto& [tag, chapter] : chapters) {
    body += std::format("<h2 id=\"{}\">{}</h2>\n<p>{}</p>\n", anchor_of(tag), escape_html(tag),
                        prose_html(chapter.description));
    for (const auto* route : chapter.routes) body += operation_html(*route, named);
  }
  return html_page("Shopbell API reference", body + all_problems() + "</main>\n</div>\n");
}

Route docs_route(const std::vector<Operation>& routes, const std::string& base_path) {
  return fixed_route("getDocs", "/docs", docs_page(routes, base_path));
}

}  // namespace shopbell::http
