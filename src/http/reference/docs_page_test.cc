#include "http/reference/docs_page.h"

#include <format>
#include <map>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "http/reference/docs_members.h"
#include "http/reference/html.h"
#include "http/reference/problem_guide.h"

namespace shopbell::http {
namespace {

Operation route(operations::Description operation) {
  return {Method::post, "/bells/{id}", operations::Access::scope("bells:write"), nullptr,
          std::move(operation)};
}

std::string page_of(operations::Description operation) {
  return docs_page({route(std::move(operation))}, "").body;
}

TEST(DocsPage, shows_listed_operations_only) {
  Operation hidden = route({.id = "hiddenBell", .tag = "Bells", .listed = false});
  const std::string html =
      docs_page({route({.id = "ringBell", .tag = "Bells", .summary = "Ring"}), hidden}, "").body;
  EXPECT_TRUE(html.contains("<section id=\"ringBell\">"));
  EXPECT_TRUE(html.contains("<h2 id=\"tag-bells\">Bells</h2>"));
  EXPECT_FALSE(html.contains("hiddenBell"));
}

TEST(DocsPage, everything_is_escaped) {
  const std::string evil = "<script>\"'&`<b>`";
  json::Schema schema{.type = "object"};
  schema.members = {{evil,
                     {.type = "string",
                      .format = evil,
                      .description = evil,
                      .default_value = R"("<script>")",
                      .pattern = evil,
                      .options = {evil}}}};
  operations::Description operation{
      .id = "ringBell",
      .tag = evil,
      .tag_description = evil,
      .summary = evil,
      .description = evil,
      .parameters = {{evil, evil, {.type = "string", .options = {evil}}}},
      .body = operations::Body{.name = evil, .schema = schema, .example = R"({"a":"<script>'"})"},
      .answer_name = evil,
      .answer = schema};
  Operation evil_route = route(std::move(operation));
  evil_route.path = "/<script>/{<script>}";
  evil_route.access = operations::Access::scope(evil);
  const std::string html = docs_page({evil_route}, "/<script>").body;
  EXPECT_FALSE(html.contains("<script"));
  EXPECT_FALSE(html.contains("<b>"));
  EXPECT_TRUE(html.contains("&lt;script&gt;&quot;&#39;&amp;<code>&lt;b&gt;</code>"));
}

TEST(DocsPage, examples_can_be_pasted) {
  json::Schema answer{.type = "object"};
  answer.members = {{"id", {.type = "string", .example = R"("big bell")"}}};
  const std::string html = page_of(
      {.id = "ringBell",
       .body = operations::Body{.name = "Ring", .schema = answer, .example = R"({"note":"it's"})"},
       .answer_name = "Bell",
       .answer = answer});
  EXPECT_TRUE(html.contains("curl -X POST &quot;$SHOPBELL_URL/bells/big%20bell&quot;"));
  EXPECT_TRUE(html.contains(escape_html(R"("note": "it'\''s")")));
}

TEST(DocsPage, a_recursive_schema_is_expanded_once) {
  json::Schema bell{.type = "object"};
  bell.members = {{"inner", {.reference = "Bell"}}};
  const std::string html = page_of({.id = "ringBell", .answer_name = "Bell", .answer = bell});
  EXPECT_TRUE(html.contains("<code>inner.inner</code>"));
}

TEST(DocsPage, limits_are_written_in_words) {
  EXPECT_EQ(limits_html({.type = "string", .length_min = 1, .length_max = 5000}),
            "1–5,000 characters");
  EXPECT_EQ(limits_html({.type = "string", .options = {"a", "b"}}),
            "one of <code>a</code>, <code>b</code>");
  EXPECT_EQ(limits_html({.type = "integer", .minimum = -1000}), "at least -1,000");
  json::Schema list{.type = "array", .items_max = 1};
  list.items = {{.type = "string", .length_max = 3}};
  EXPECT_EQ(limits_html(list), "at most 1 element; each: at most 3 characters");
}

TEST(DocsPage, its_content_security_policy_allows_only_its_own_style) {
  const Response response = docs_page({}, "");
  std::map<std::string, std::string> headers{response.headers.begin(), response.headers.end()};
  EXPECT_TRUE(
      headers["Content-Security-Policy"].starts_with("default-src 'none'; style-src 'sha256-"));
  EXPECT_EQ(headers["X-Content-Type-Options"], "nosniff");
  EXPECT_EQ(headers["Cache-Control"], "no-cache");
}

TEST(DocsPage, its_responses_share_one_body) {
  const Route page = docs_route({}, "");
  std::vector<Response> responses;
  boost::asio::io_context loop;
  for (int i = 0; i < 2; ++i) {
    boost::asio::co_spawn(loop, page.page({}, {}), [&](std::exception_ptr, Response response) {
      responses.push_back(std::move(response));
    });
  }
  loop.run();
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_TRUE(responses[0].body.empty());
  EXPECT_FALSE(responses[0].text().empty());
  EXPECT_EQ(responses[0].text().data(), responses[1].text().data());
  EXPECT_EQ(responses[0].etag.size(), 34U);
}

TEST(ProblemGuide, has_every_code) {
  for (const auto& kind : problem_kinds())
    EXPECT_TRUE(problem_guide().contains(std::format("\n| `{}` | ", kind.name))) << kind.name;
}

}  // namespace
}  // namespace shopbell::http
