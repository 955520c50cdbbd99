// The project's lint rules. Each checks a source tree and returns its violations, ordered by file.
#pragma once

#include "tree.h"

namespace shopbell::house {

// Includes.
Findings include_levels(const Tree& tree);  // between modules: downwards only
Findings folder_uses(const Tree& tree);     // between the folders of a divided module
Findings slice_uses(const Tree& tree);      // between slices: as listed in USES, without a cycle
Findings library_fences(const Tree& tree);  // a third-party header only in its own module

// Form of a file.
Findings file_lengths(const Tree& tree);
Findings function_lengths(const Tree& tree);
Findings header_openings(const Tree& tree);  // a comment with its purpose, then #pragma once
Findings using_namespaces(const Tree& tree);
Findings unfinished_work(const Tree& tree);
Findings names_under_src(const Tree& tree);
Findings coalesced_parameters(const Tree& tree);  // in queries, where they prevent an index scan

// Consistency of the project.
Findings problem_codes_used(const Tree& tree);
Findings local_paths_and_hosts(const Tree& tree);   // no absolute path, no package host
Findings undocumented_libraries(const Tree& tree);  // tools/packages.txt against ARCHITECTURE.md

// Documentation pages.
Findings broken_links(const Tree& tree);       // to missing files or headings
Findings untested_commands(const Tree& tree);  // sh blocks that no test in tests/pages.txt runs
Findings outdated_lists(const Tree& tree);     // tables of slices and of decision records

}  // namespace shopbell::house
