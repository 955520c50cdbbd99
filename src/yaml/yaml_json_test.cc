#include "yaml/yaml_json.h"

#include <gtest/gtest.h>

namespace shopbell::yaml {
namespace {

std::string json_of(std::string_view yaml) {
  const auto json = to_json(yaml);
  return json ? json->text : "line " + std::to_string(json.error().line) + ": " + json.error().why;
}

TEST(YamlJson, plain_scalars_become_what_json_has) {
  EXPECT_EQ(json_of("[1, -2.50, 1e3, true, null, ~]"), "[1,-2.50,1e3,true,null,null]");
  EXPECT_EQ(json_of("['1', \"true\", 'null']"), R"(["1","true","null"])");
}

TEST(YamlJson, other_plain_scalars_stay_texts) {
  EXPECT_EQ(json_of("[yes, on, No, 007, +1, .5, 1., 0x10, 1_000, 2026-03-02, 21:00, P1D]"),
            R"(["yes","on","No","007","+1",".5","1.","0x10","1_000","2026-03-02","21:00","P1D"])");
  EXPECT_EQ(json_of("on: 1"), R"({"on":1})");
}

TEST(YamlJson, texts_of_several_lines) {
  EXPECT_EQ(json_of("a: |\n  one\n  two\nb: >\n  one\n  two\n"),
            R"({"a":"one\ntwo\n","b":"one two\n"})");
}

TEST(YamlJson, an_alias_repeats_its_anchor) {
  EXPECT_EQ(json_of("a: &x {b: 1}\nc: *x\n"), R"({"a":{"b":1},"c":{"b":1}})");
}

TEST(YamlJson, knows_the_line_of_each_value) {
  const auto json =
      to_json("# a comment\nname: x\nnodes:\n  - id: a\n    type: exit\n  - {id: b}\n");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->line_of(""), 2U);
  EXPECT_EQ(json->line_of("/name"), 2U);
  EXPECT_EQ(json->line_of("/nodes"), 3U);
  EXPECT_EQ(json->line_of("/nodes/0"), 4U);
  EXPECT_EQ(json->line_of("/nodes/0/type"), 5U);
  EXPECT_EQ(json->line_of("/nodes/1/id"), 6U);
  EXPECT_EQ(json->line_of("/nodes/1/missing/deep"), 6U) << "the nearest value around it";
  EXPECT_EQ(json->line_of("/missing"), 2U);
}

TEST(YamlJson, json_is_taken_as_it_is) {
  const std::string text = "{\n\t\"a\": \"\\ud83d\\ude00\",\n\t\"b/c\": 1.50\n}";
  const auto json = to_json(text);
  ASSERT_TRUE(json);
  EXPECT_EQ(json->text, text);
  const auto lines = to_json("{\n  \"a\": 1,\n  \"b/c\": [\n    2]}");
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->line_of("/b~1c"), 3U);
  EXPECT_EQ(lines->line_of("/b~1c/0"), 4U);
}

TEST(YamlJson, refuses_what_json_cannot_say) {
  EXPECT_EQ(json_of(""), "line 1: The file is empty.");
  EXPECT_EQ(json_of("a: 1\nb: 2\na: 3\n"), "line 3: The member a is repeated.");
  EXPECT_EQ(json_of("a: 1\n---\nb: 2\n"),
            "line 3: The file has several documents; it may have one.");
  EXPECT_EQ(json_of("a: !!binary aGk="),
            "line 1: The tag tag:yaml.org,2002:binary is not supported.");
  EXPECT_EQ(json_of("? [a]\n: 1\n"), "line 1: The name of a member must be a text.");
  EXPECT_TRUE(json_of("a: 1\nb: [1,\n").starts_with("line 3: Is not YAML: "));
  EXPECT_TRUE(json_of("a: 1\n b: 2\n").starts_with("line 2: Is not YAML: "));
  EXPECT_EQ(json_of("a: \xff"), "line 1: Is not UTF-8.");
}

TEST(YamlJson, limits_the_levels) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_EQ(json_of(nested(32)), nested(32));
  EXPECT_EQ(json_of(nested(33)), "line 1: Has more than 32 levels.");
  EXPECT_FALSE(to_json(nested(100'000)));
}

// Each line repeats the one before it twice: the last would have 2^24 elements.
TEST(YamlJson, limits_what_aliases_repeat) {
  std::string yaml = "a0: &a0 [x]\n";
  for (int i = 1; i <= 24; ++i) yaml += std::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  const auto json = to_json(yaml, 10'000);
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().why, "The file has more than 10000 bytes as JSON.");
}

}  // namespace
}  // namespace shopbell::yaml
