#include "http/wire/conditional.h"

#include <gtest/gtest.h>

namespace shopbell::http {
namespace {

constexpr std::string_view kTag = "\"5.2-abc\"";

Request with(std::string name, std::string value) {
  return {.method = Method::patch, .headers = {{std::move(name), std::move(value)}}};
}

bool passes(const Request& request, std::optional<std::string_view> tag) {
  try {
    operations::check_conditions(conditions_of(request), tag);
    return true;
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.code(), Code::precondition_failed);
    return false;
  }
}

TEST(Conditional, if_match_accepts_the_tag_in_any_coding) {
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

TEST(Conditional, if_none_match_of_a_write_means_create_only) {
  EXPECT_TRUE(passes(with("if-none-match", "*"), std::nullopt));
  EXPECT_FALSE(passes(with("if-none-match", "*"), kTag));
  EXPECT_FALSE(passes(with("if-none-match", "W/\"5.2-abc-gzip\""), kTag));
  EXPECT_TRUE(passes(with("if-none-match", "\"another\""), kTag));
}

TEST(Conditional, a_list_of_tags_may_span_several_header_lines) {
  const Request request{
      .method = Method::get,
      .headers = {{"if-none-match", "\"a\", \"b\""}, {"if-none-match", "W/\"5.2-abc-gzip\""}}};
  const auto tags = conditions_of(request).if_none_match;
  ASSERT_TRUE(tags);
  EXPECT_TRUE(tags->names(kTag));
  EXPECT_FALSE(tags->names("\"c\""));
  EXPECT_FALSE(conditions_of(Request{}).if_none_match);
}

TEST(Conditional, a_coded_tag_carries_the_coding) {
  EXPECT_EQ(coded_tag("\"x\"", "gzip"), "\"x-gzip\"");
}

}  // namespace
}  // namespace shopbell::http
