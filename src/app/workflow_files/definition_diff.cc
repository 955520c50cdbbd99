#include "app/workflow_files/definition_diff.h"

#include <algorithm>
#include <format>
#include <optional>

#include "json/canonical.h"

namespace shopbell::app {

namespace {

using json::Value;

constexpr std::string_view kNodes = "nodes";

struct Node {
  std::string id;
  Value value;
};

std::string text_of(const Value& object, std::string_view name) {
  const auto member = object.member(name);
  return member && member->type() == json::Type::text ? std::string{member->text()} : "";
}

std::vector<Node> nodes_of(const Value& definition) {
  std::vector<Node> nodes;
  if (const auto list = definition.member(kNodes); list && list->type() == json::Type::list)
    list->for_each(
        [&](std::string_view, const Value& node) { nodes.push_back({text_of(node, "id"), node}); });
  return nodes;
}

std::string title(const Node& node) {
  return std::format("node {} ({})", node.id, text_of(node.value, "type"));
}

bool are_equal(const Value& before, const Value& after) {
  return json::canonical(before) == json::canonical(after);
}

// Adds a line for each member that differs.
void compare_members(const Value& before, const Value& after, const std::string& indent,
                     std::vector<std::string>& lines) {
  before.for_each([&](std::string_view name, const Value& old_value) {
    const auto new_value = after.member(name);
    if (name == kNodes) return;
    if (!new_value) {
      lines.push_back(std::format("{}- {}: {}", indent, name, old_value.to_json()));
    } else if (!are_equal(old_value, *new_value)) {
      lines.push_back(
          std::format("{}~ {}: {} -> {}", indent, name, old_value.to_json(), new_value->to_json()));
    }
  });
  after.for_each([&](std::string_view name, const Value& value) {
    if (name != kNodes && !before.member(name))
      lines.push_back(std::format("{}+ {}: {}", indent, name, value.to_json()));
  });
}

void compare_nodes(const std::vector<Node>& before, const std::vector<Node>& after,
                   std::vector<std::string>& lines) {
  if (!before.empty() && !after.empty() && before.front().id != after.front().id)
    lines.push_back(
        std::format("~ runs start at node {} -> {}", before.front().id, after.front().id));
  for (const auto& node : before)
    if (std::ranges::find(after, node.id, &Node::id) == after.end())
      lines.push_back("- " + title(node));
  for (const auto& node : after) {
    const auto old = std::ranges::find(before, node.id, &Node::id);
    if (old == before.end()) {
      lines.push_back("+ " + title(node));
    } else if (!are_equal(old->value, node.value)) {
      lines.push_back("~ " + title(node));
      compare_members(old->value, node.value, "    ", lines);
    }
  }
}

}  // namespace

std::vector<std::string> definition_changes(const Value& before, const Value& after) {
  std::vector<std::string> lines;
  compare_members(before, after, "", lines);
  compare_nodes(nodes_of(before), nodes_of(after), lines);
  return lines;
}

std::vector<std::string> node_lines(const Value& definition) {
  std::vector<std::string> lines;
  for (const auto& node : nodes_of(definition)) lines.push_back("+ " + title(node));
  return lines;
}

}  // namespace shopbell::app
