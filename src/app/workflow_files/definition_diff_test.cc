#include "app/workflow_files/definition_diff.h"

#include <gtest/gtest.h>

namespace shopbell::app {
namespace {

using Lines = std::vector<std::string>;

Lines changes(std::string_view before, std::string_view after) {
  const auto old = json::Document::parse_body(before);
  const auto made = json::Document::parse_body(after);
  return definition_changes(old.root(), made.root());
}

TEST(DefinitionDiff, equal_definitions_have_no_changes) {
  EXPECT_EQ(changes(R"({"name":"A","nodes":[{"id":"a","type":"exit"}]})",
                    R"({"nodes":[{"type":"exit","id":"a"}],"name":"A"})"),
            Lines{});
}

TEST(DefinitionDiff, lists_members) {
  EXPECT_EQ(changes(R"({"name":"A","goal":{"event":"x"},"tags":["a"]})",
                    R"({"name":"B","tags":["a"],"priority":5})"),
            (Lines{R"(~ name: "A" -> "B")", R"(- goal: {"event":"x"})", "+ priority: 5"}));
}

TEST(DefinitionDiff, lists_nodes_by_id) {
  EXPECT_EQ(changes(R"({"nodes":[{"id":"a","type":"wait","for":"P1D","next":"b"},
                           {"id":"b","type":"email","template":"t"},
                           {"id":"c","type":"exit"}]})",
                    R"({"nodes":[{"id":"a","type":"wait","for":"P2D","next":"d"},
                           {"id":"d","type":"coupon"},
                           {"id":"c","type":"exit"}]})"),
            (Lines{"- node b (email)", "~ node a (wait)", R"(    ~ for: "P1D" -> "P2D")",
                   R"(    ~ next: "b" -> "d")", "+ node d (coupon)"}));
}

TEST(DefinitionDiff, another_first_node_is_a_change_and_another_order_is_none) {
  EXPECT_EQ(changes(R"({"nodes":[{"id":"a"},{"id":"b"},{"id":"c"}]})",
                    R"({"nodes":[{"id":"b"},{"id":"a"},{"id":"c"}]})"),
            Lines{"~ runs start at node a -> b"});
  EXPECT_EQ(changes(R"({"nodes":[{"id":"a"},{"id":"b"},{"id":"c"}]})",
                    R"({"nodes":[{"id":"a"},{"id":"c"},{"id":"b"}]})"),
            Lines{});
}

TEST(DefinitionDiff, a_node_of_another_type_is_the_same_node) {
  EXPECT_EQ(changes(R"({"nodes":[{"id":"a","type":"exit"}]})",
                    R"({"nodes":[{"id":"a","type":"wait","for":"P1D"}]})"),
            (Lines{"~ node a (wait)", R"(    ~ type: "exit" -> "wait")", R"(    + for: "P1D")"}));
}

TEST(DefinitionDiff, lists_the_nodes_of_a_new_workflow) {
  const auto made = json::Document::parse_body(
      R"({"nodes":[{"id":"a","type":"wait"},{"id":"b","type":"exit"}]})");
  EXPECT_EQ(node_lines(made.root()), (Lines{"+ node a (wait)", "+ node b (exit)"}));
}

}  // namespace
}  // namespace shopbell::app
