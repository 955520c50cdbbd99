// Checks docs/workflows.md: each of its YAML examples is, to the letter, part of a recipe or of a
// file of scenarios, and so it runs; and there is an example of every node and every condition.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ranges>

#include <gtest/gtest.h>

#include "app/recipes/recipe.h"
#include "resources/workflows/condition.h"
#include "resources/workflows/shape.h"

namespace shopbell::app {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::filesystem::path& path) {
  std::ifstream input{path};
  Lines lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// Returns the YAML blocks of the page.
std::vector<Lines> examples() {
  std::vector<Lines> blocks;
  bool inside = false;
  for (const auto& line : lines_of("docs/workflows.md")) {
    if (line == "```yaml") {
      inside = true;
      blocks.emplace_back();
    } else if (line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      blocks.back().push_back(line);
    }
  }
  return blocks;
}

// True if the block's lines follow each other in the file, all indented by the same blanks.
bool occurs_at(const Lines& block, const Lines& file, std::size_t start) {
  const std::size_t shift = indent_of(file[start]) - indent_of(block.front());
  std::size_t at = start;
  for (std::size_t i = 0; i < block.size(); ++i, ++at) {
    if (at >= file.size()) return false;
    const std::string expected =
        block[i].empty() ? std::string{} : std::string(shift, ' ') + block[i];
    if (file[at] != expected) return false;
  }
  return true;
}

bool occurs_in(const Lines& block, const Lines& file) {
  for (std::size_t start = 0; start < file.size(); ++start)
    if (indent_of(file[start]) >= indent_of(block.front()) && occurs_at(block, file, start))
      return true;
  return false;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

TEST(WorkflowsPage, every_example_is_part_of_a_file_that_runs) {
  std::vector<Lines> files;
  for (const auto* folder : {"src/engine/scenarios", "src/app/recipes"})
    for (const auto& entry : std::filesystem::directory_iterator{folder})
      if (entry.path().extension() == ".yaml") files.push_back(lines_of(entry.path()));
  ASSERT_FALSE(files.empty()) << "run the tests in the checkout's folder";
  for (const auto& block : examples()) {
    ASSERT_FALSE(block.empty());
    EXPECT_TRUE(
        std::ranges::any_of(files, [&](const Lines& file) { return occurs_in(block, file); }))
        << "no scenario and no recipe has these lines:\n"
        << joined(block);
  }
}

TEST(WorkflowsPage, has_an_example_of_every_node_and_condition) {
  std::string text;
  for (const auto& block : examples()) text += joined(block);
  for (const auto& type : workflows::node_types())
    EXPECT_TRUE(text.contains("type: " + type.name)) << type.name;
  for (const auto& op : workflows::operators())
    EXPECT_TRUE(text.contains("op: " + op.name + ",")) << op.name;
  for (const auto& form : workflows::condition_forms())
    EXPECT_TRUE(text.contains(form + ": ") || text.contains(form + ":\n")) << form;
}

TEST(WorkflowsPage, describes_every_recipe) {
  const std::string page = joined(lines_of("docs/workflows.md"));
  for (const auto& recipe : recipes())
    EXPECT_TRUE(page.contains(std::format("\n### {}\n", recipe.name))) << recipe.name;
}

}  // namespace
}  // namespace shopbell::app
