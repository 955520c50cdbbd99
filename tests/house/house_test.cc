// The rules on the tree itself. That each rule can fail is shown in the *_rules_test.cc beside.
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
TEST(House, slices_use_what_they_say) { expect_none(slice_uses(the_tree())); }
TEST(House, libraries_stay_behind_their_fences) { expect_none(library_fences(the_tree())); }
TEST(House, files_are_short) { expect_none(file_lengths(the_tree())); }
TEST(House, functions_are_short) { expect_none(function_lengths(the_tree())); }
TEST(House, headers_open_with_their_purpose) { expect_none(header_openings(the_tree())); }
TEST(House, namespaces_are_written_out) { expect_none(using_namespaces(the_tree())); }
TEST(House, nothing_is_left_unfinished) { expect_none(unfinished_work(the_tree())); }
TEST(House, names_say_what_is_inside) { expect_none(names_under_src(the_tree())); }
TEST(House, conditions_are_looked_up_in_an_index) { expect_none(conditions_by_index(the_tree())); }
TEST(House, every_problem_code_is_used) { expect_none(problem_codes_used(the_tree())); }
TEST(House, nothing_of_one_machine) { expect_none(nothing_of_this_machine(the_tree())); }
TEST(House, every_library_is_explained) { expect_none(libraries_explained(the_tree())); }
TEST(House, links_lead_somewhere) { expect_none(links_lead_somewhere(the_tree())); }
TEST(House, commands_of_pages_are_run) { expect_none(commands_are_run(the_tree())); }

}  // namespace
}  // namespace shopbell::house
