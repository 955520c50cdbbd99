// Checks the recipes: each is a file that can be applied to an empty account, and a scenario runs
// it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "app/recipes/recipe.h"
#include "app/workflow_files/account_objects.h"
#include "app/workflow_files/workflow_file.h"
#include "resources/workflows/workflow_rules.h"

namespace shopbell::app {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream input{path};
  return {std::istreambuf_iterator{input}, {}};
}

TEST(Recipes, are_valid_in_an_account_that_has_nothing) {
  for (const auto& recipe : recipes()) {
    SCOPED_TRACE(recipe.name);
    const WorkflowFile file = read_workflow_file(std::format("recipe:{}", recipe.name));
    EXPECT_NO_THROW(refuse_faults(file, file.faults));
    EXPECT_EQ(file.workflow.alias, recipe.name);
    EXPECT_TRUE(file.workflow.description);
    workflows::KnownWorld world;
    for (const auto& needed : file.needs) add_needed(world, needed);
    try {
      const auto named = workflows::check_sent(file.workflow, world);
      EXPECT_FALSE(named.templates.empty());
    } catch (const Problem& problem) {
      EXPECT_NO_THROW(refuse_faults(file, problem.faults()));
    }
  }
}

// An object that no part of the workflow names would be created for nothing.
TEST(Recipes, need_nothing_that_they_do_not_use) {
  for (const auto& recipe : recipes()) {
    const WorkflowFile file = read_workflow_file(std::format("recipe:{}", recipe.name));
    for (const auto& needed : file.needs) {
      if (needed.kind == NeededObject::Kind::integration) continue;
      workflows::KnownWorld world;
      for (const auto& other : file.needs)
        if (other.pointer != needed.pointer) add_needed(world, other);
      EXPECT_THROW(workflows::check_sent(file.workflow, world), Problem)
          << recipe.name << " needs " << needed.name;
    }
  }
}

TEST(Recipes, are_run_by_scenarios) {
  std::set<std::string, std::less<>> tested;
  for (const auto& entry : std::filesystem::directory_iterator{"src/engine/scenarios"}) {
    constexpr std::string_view kLine = "\nworkflow: {recipe: ";
    const std::string text = text_of(entry.path());
    if (const auto at = text.find(kLine); at != std::string::npos)
      tested.insert(text.substr(at + kLine.size(), text.find('}', at) - at - kLine.size()));
  }
  EXPECT_EQ(recipes().size(), 8U);
  for (const auto& recipe : recipes()) EXPECT_TRUE(tested.contains(recipe.name)) << recipe.name;
}

}  // namespace
}  // namespace shopbell::app
