// Tests the reference page with all operations of the service.
#include <format>
#include <ranges>
#include <set>

#include <gtest/gtest.h>

#include "http/reference/docs_page.h"
#include "http/reference/html.h"
#include "http/reference/openapi.h"
#include "resources/all.h"

namespace shopbell::app {
namespace {

// Returns the HTML of the service's own reference page.
const std::string& page() {
  static const std::string body = http::docs_page(resources::all_operations(), "").body;
  return body;
}

// Returns the section of an operation, up to the next section.
std::string section_of(const std::string& html, const std::string& id) {
  const auto start = html.find(std::format("<section id=\"{}\">", id));
  if (start == std::string::npos) return {};
  return html.substr(start, html.find("</section>", start) - start);
}

// Returns all values of an attribute in the page.
std::vector<std::string> values_of(std::string_view attribute) {
  const std::string start = std::format(" {}=\"", attribute);
  std::vector<std::string> values;
  for (std::size_t at = 0; (at = page().find(start, at)) != std::string::npos;) {
    at += start.size();
    values.push_back(page().substr(at, page().find('"', at) - at));
  }
  return values;
}

void expect_members(const std::string& section, const json::Schema& schema,
                    const http::NamedSchemas& named, const std::string& prefix) {
  if (!schema.reference.empty())
    return expect_members(section, named.at(schema.reference), named, prefix);
  if (!schema.items.empty())
    return expect_members(section, schema.items.front(), named, prefix + "[]");
  for (const auto* members : {&schema.members, &schema.optional_members}) {
    for (const auto& [name, member] : *members) {
      const std::string dotted = prefix.empty() ? name : prefix + "." + name;
      EXPECT_TRUE(section.contains(std::format("<code>{}</code>", http::escape_html(dotted))))
          << dotted;
      expect_members(section, member, named, dotted);
    }
  }
}

TEST(Reference, has_a_section_for_every_listed_operation_with_all_its_members) {
  const auto routes = resources::all_operations();
  const http::NamedSchemas named = http::named_schemas(routes);
  for (const auto& [method, path, access, handler, operation] : routes) {
    const std::string section = section_of(page(), operation.id);
    EXPECT_EQ(section.empty(), !operation.listed) << operation.id;
    if (section.empty()) continue;
    const std::string heading = section.substr(0, section.find("</h3>"));
    EXPECT_TRUE(heading.contains(http::name_of(method)) && heading.contains(path)) << operation.id;
    EXPECT_TRUE(section.contains(access.scope_name())) << operation.id;
    EXPECT_TRUE(page().contains(std::format("<li><a href=\"#{}\">", operation.id)));
    if (operation.body) expect_members(section, operation.body->schema, named, "");
    if (!operation.answer_name.empty()) expect_members(section, operation.answer, named, "");
  }
}

TEST(Reference, lists_parameters_headers_and_problems) {
  for (const auto& route : resources::all_operations()) {
    if (!route.description.listed) continue;
    const std::string section = section_of(page(), route.description.id);
    for (const auto& parameter : route.description.parameters)
      EXPECT_TRUE(section.contains(std::format("<code>{}</code>", parameter.name)));
    for (const auto& header : http::request_headers_of(route))
      EXPECT_TRUE(section.contains(std::format("<code>{}</code>", header.name)));
    for (const auto& codes : std::views::values(http::problems_of(route))) {
      for (const auto& code : codes)
        EXPECT_TRUE(section.contains(std::format("href=\"problems/{}\"", code)));
    }
  }
}

TEST(Reference, ids_are_unique_and_internal_links_have_targets) {
  const auto ids = values_of("id");
  const std::set<std::string> unique{ids.begin(), ids.end()};
  EXPECT_EQ(ids.size(), unique.size());
  for (const auto& target : values_of("href"))
    EXPECT_TRUE(!target.starts_with('#') || unique.contains(target.substr(1))) << target;
}

TEST(Reference, has_no_external_resources_or_links) {
  EXPECT_TRUE(values_of("src").empty());
  for (const auto& target : values_of("href")) {
    if (target == "data:,") continue;
    EXPECT_FALSE(target.contains(':') || target.starts_with('/')) << target;
  }
  EXPECT_FALSE(page().contains("<script"));
  EXPECT_FALSE(page().contains("@import") || page().contains("url("));
  EXPECT_FALSE(page().contains(" style=\""));
}

TEST(Reference, openapi_document_grows_no_faster_than_the_interface) {
  const auto operations = resources::all_operations();
  const std::string document =
      http::openapi_document(operations, "", json::Writer::Layout::compact);
  EXPECT_LE(document.size() / operations.size(), 2'880U);
  EXPECT_TRUE(document.contains(R"("413":{"$ref":"#/components/responses/413"})"));
}

}  // namespace
}  // namespace shopbell::app
