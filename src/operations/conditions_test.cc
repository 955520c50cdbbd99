#include "operations/conditions.h"

#include <gtest/gtest.h>

#include "base/problem.h"

namespace shopbell::operations {
namespace {

constexpr std::string_view kTag = "\"5.2-abc\"";

bool passes(const Conditions& conditions, std::optional<std::string_view> tag) {
  try {
    check_conditions(conditions, tag);
    return true;
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.code(), Code::precondition_failed);
    return false;
  }
}

TEST(Conditions, if_match_requires_the_strong_tag_of_an_object) {
  EXPECT_TRUE(passes({.if_match = TagList{.strong = {std::string{kTag}}}}, kTag));
  EXPECT_TRUE(passes({.if_match = TagList::any_tag()}, kTag));
  EXPECT_FALSE(passes({.if_match = TagList{.strong = {"\"5.1-abc\""}}}, kTag));
  EXPECT_FALSE(passes({.if_match = TagList{.weak = {std::string{kTag}}}}, kTag));
  EXPECT_FALSE(passes({.if_match = TagList{}}, kTag));
  EXPECT_FALSE(passes({.if_match = TagList::any_tag()}, std::nullopt));
  EXPECT_FALSE(passes({.if_match = TagList{.strong = {std::string{kTag}}}}, std::nullopt));
}

TEST(Conditions, if_none_match_refuses_an_existing_object) {
  EXPECT_TRUE(passes({.if_none_match = TagList::any_tag()}, std::nullopt));
  EXPECT_FALSE(passes({.if_none_match = TagList::any_tag()}, kTag));
  EXPECT_FALSE(passes({.if_none_match = TagList{.weak = {std::string{kTag}}}}, kTag));
  EXPECT_TRUE(passes({.if_none_match = TagList{.strong = {"\"another\""}}}, kTag));
}

TEST(Conditions, tags_differ_by_version_row_and_shape) {
  const Instant day = *parse_rfc3339("2026-11-15T00:00:00Z");
  const std::string tag = version_tag(day, 1, "abc");
  EXPECT_NE(tag, version_tag(day, 2, "abc"));
  EXPECT_NE(tag, version_tag(day + std::chrono::microseconds{1}, 1, "abc"));
  EXPECT_NE(tag, version_tag(day, 1, "abd"));
  EXPECT_NE(shape_of({.type = "string"}), shape_of({.type = "integer"}));
}

}  // namespace
}  // namespace shopbell::operations
