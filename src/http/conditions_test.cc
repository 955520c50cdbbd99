#include "http/conditions.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

Request with(std::string name, std::string value) {
  return {.method = Method::patch, .headers = {{std::move(name), std::move(value)}}};
}

bool passes(const Request& request, std::optional<std::string_view> tag) {
  const Exchange exchange{.request = &request};
  try {
    check_conditions(Call{exchange}, tag);
    return true;
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.code(), Code::precondition_failed);
    return false;
  }
}

constexpr std::string_view kTag = "\"5.2-abc\"";

TEST(Conditions, if_match_takes_the_tag_in_any_coding) {
  EXPECT_TRUE(passes(with("if-match", "\"5.2-abc\""), kTag));
  EXPECT_TRUE(passes(with("if-match", "\"5.2-abc-gzip\""), kTag));
  EXPECT_TRUE(passes(with("if-match", "\"x\", \"5.2-abc-zstd\""), kTag));
  EXPECT_TRUE(passes(with("if-match", "*"), kTag));
  for (const char* stale : {"\"5.1-abc\"", "W/\"5.2-abc\"", "5.2-abc", "\"5.2-abc-br\"", "\"\""}) {
    EXPECT_FALSE(passes(with("if-match", stale), kTag)) << stale;
  }
  EXPECT_FALSE(passes(with("if-match", "*"), std::nullopt));
  EXPECT_FALSE(passes(with("if-match", "\"5.2-abc\""), std::nullopt));
}

TEST(Conditions, if_none_match_of_a_write_means_create_only) {
  EXPECT_TRUE(passes(with("if-none-match", "*"), std::nullopt));
  EXPECT_FALSE(passes(with("if-none-match", "*"), kTag));
  EXPECT_FALSE(passes(with("if-none-match", "W/\"5.2-abc-gzip\""), kTag));
  EXPECT_TRUE(passes(with("if-none-match", "\"another\""), kTag));
}

TEST(Conditions, a_read_knows_its_tag_over_several_lines_and_weakly) {
  const Request request{
      .method = Method::get,
      .headers = {{"if-none-match", "\"a\", \"b\""}, {"if-none-match", "W/\"5.2-abc-gzip\""}}};
  EXPECT_TRUE(is_known(request, kTag));
  EXPECT_FALSE(is_known(request, "\"c\""));
  EXPECT_FALSE(is_known(Request{}, kTag));
}

TEST(Conditions, a_tag_tells_versions_rows_and_shapes_apart) {
  const Instant day = *parse_rfc3339("2026-11-15T00:00:00Z");
  const std::string tag = version_tag(day, 1, "abc");
  EXPECT_NE(tag, version_tag(day, 2, "abc"));
  EXPECT_NE(tag, version_tag(day + std::chrono::microseconds{1}, 1, "abc"));
  EXPECT_NE(tag, version_tag(day, 1, "abd"));
  EXPECT_EQ(coded_tag("\"x\"", "gzip"), "\"x-gzip\"");
  EXPECT_NE(shape_of({.type = "string"}), shape_of({.type = "integer"}));
}

}  // namespace
}  // namespace shopbell::http
