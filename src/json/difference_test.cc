#include "json/difference.h"

#include <gtest/gtest.h>

#include "json/canonical.h"

namespace shopbell::json {
namespace {

using Members = Difference::Members;

TEST(Difference, reports_changed_members_with_both_values) {
  const Members before{{"name", "\"a\""}, {"age", "1"}, {"at", "1"}};
  const Members after{{"name", "\"b\""}, {"age", "1"}, {"at", "2"}};
  const Difference difference{before, after, {.silent = {"at"}}};
  EXPECT_EQ(difference.payload(),
            R"({"changed":["name"],"before":{"name":"a"},"after":{"name":"b"}})");
  EXPECT_TRUE(difference.names("name"));
  EXPECT_FALSE(difference.names("at"));
}

TEST(Difference, compares_nested_objects_per_entry) {
  const Members before{{"fields", R"({"a":1,"b":2})"}};
  const Members after{{"fields", R"({"a":1,"b":3,"c":4})"}};
  const Difference difference{before, after, {.nested = {"fields"}}};
  EXPECT_EQ(difference.payload({{"id", "7"}}),
            R"({"id":7,"changed":["fields.b","fields.c"],"before":{"fields":{"b":2}},)"
            R"("after":{"fields":{"b":3,"c":4}}})");
}

TEST(Difference, is_empty_between_equals) {
  const Members same{{"name", "\"a\""}};
  EXPECT_TRUE((Difference{same, same, {}}.empty()));
}

TEST(Canonical, ignores_member_order) {
  const auto of = [](std::string_view text) { return canonical(Document::parse(text)->root()); };
  EXPECT_EQ(of(R"({"b":[{"y":1,"x":2}],"a":null})"), R"({"a":null,"b":[{"x":2,"y":1}]})");
  EXPECT_EQ(of(R"({"a":1,"b":2})"), of(R"({"b":2, "a":1})"));
  EXPECT_NE(of("[1,2]"), of("[2,1]"));
}

}  // namespace
}  // namespace shopbell::json
