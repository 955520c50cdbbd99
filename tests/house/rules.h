// The rules of the house. Each looks at a tree and returns what breaks it, in the order of the
// files.
#pragma once

#include "tree.h"

namespace shopbell::house {

// What may include what.
Findings include_levels(const Tree& tree);  // between modules: downwards only
Findings slice_uses(const Tree& tree);      // between slices: as USES says, without a cycle
Findings library_fences(const Tree& tree);  // a third-party header only in its own module

// How a file looks.
Findings file_lengths(const Tree& tree);
Findings function_lengths(const Tree& tree);
Findings header_openings(const Tree& tree);  // a comment that says why, then #pragma once
Findings using_namespaces(const Tree& tree);
Findings unfinished_work(const Tree& tree);
Findings names_under_src(const Tree& tree);
Findings conditions_by_index(const Tree& tree);  // no coalesce() of a parameter in a query

// What the project says about itself.
Findings problem_codes_used(const Tree& tree);
Findings nothing_of_this_machine(const Tree& tree);  // no local path, no package host
Findings libraries_explained(const Tree& tree);      // tools/packages.txt against ARCHITECTURE.md

// What its pages say.
Findings links_lead_somewhere(const Tree& tree);  // to a file, and to a heading in it
Findings commands_are_run(const Tree& tree);      // every sh block, as tests/pages.txt says

}  // namespace shopbell::house
