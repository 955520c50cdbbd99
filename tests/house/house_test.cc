// Runs the rules on this source tree. The *_rules_test.cc files check that each rule can fail.
#include "expect.h"
#include "rules.h"

namespace shopbell::house {
namespace {

const Tree& the_tree() {
  static const Tree tree = read_tree(SHOPBELL_SOURCE_DIR);
  return tree;
}

TEST(House, the_tree_is_read) {
  EXPECT_TRUE(the_tree().contains("CMakeLists.txt"));
  EXPECT_TRUE(the_tree().contains("tests/house/house_test.cc"));
  for (const auto& [path, text] : the_tree()) EXPECT_FALSE(path.starts_with("build/")) << path;
}

TEST(House, includes_go_down_a_level) { expect_none(include_levels(the_tree())); }
TEST(House, folders_of_a_module_keep_their_order) { expect_none(folder_uses(the_tree())); }
TEST(House, slices_use_what_they_say) { expect_none(slice_uses(the_tree())); }
TEST(House, libraries_stay_behind_their_fences) { expect_none(library_fences(the_tree())); }
TEST(House, pure_modules_are_pure) { expect_none(impure_modules(the_tree())); }
TEST(House, files_are_short) { expect_none(file_lengths(the_tree())); }
TEST(House, functions_are_short) { expect_none(function_lengths(the_tree())); }
TEST(House, headers_start_with_their_purpose) { expect_none(header_openings(the_tree())); }
TEST(House, no_using_namespace) { expect_none(using_namespaces(the_tree())); }
TEST(House, no_unfinished_work) { expect_none(unfinished_work(the_tree())); }
TEST(House, names_are_snake_case_and_specific) { expect_none(names_under_src(the_tree())); }
TEST(House, queries_do_not_coalesce_parameters) { expect_none(coalesced_parameters(the_tree())); }
TEST(House, every_problem_code_is_used) { expect_none(problem_codes_used(the_tree())); }
TEST(House, no_local_paths_or_package_hosts) { expect_none(local_paths_and_hosts(the_tree())); }
TEST(House, every_library_is_documented) { expect_none(undocumented_libraries(the_tree())); }
TEST(House, links_are_not_broken) { expect_none(broken_links(the_tree())); }
TEST(House, commands_in_pages_are_tested) { expect_none(untested_commands(the_tree())); }
TEST(House, lists_in_pages_match_the_tree) { expect_none(outdated_lists(the_tree())); }

}  // namespace
}  // namespace shopbell::house
