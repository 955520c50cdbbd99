// The project's lint rules. Each checks a source tree and returns its violations, ordered by file.
#pragma once

#include "tree.h"

namespace shopbell::house {

// Rules for includes.
Findings include_levels(const Tree& tree);  // a module includes only lower levels
// The folders of a divided module include each other only in order.
Findings folder_uses(const Tree& tree);
// A slice includes only slices in its USES, without cycles.
Findings slice_uses(const Tree& tree);
Findings library_fences(const Tree& tree);  // only a library's own module includes its headers
// src/engine and src/liquid have no clock, no I/O, no randomness and no SQL.
Findings impure_modules(const Tree& tree);

// Rules for the form of a file.
Findings file_lengths(const Tree& tree);
Findings function_lengths(const Tree& tree);
Findings header_openings(const Tree& tree);  // a header starts with its purpose, then #pragma once
Findings using_namespaces(const Tree& tree);
Findings unfinished_work(const Tree& tree);
Findings names_under_src(const Tree& tree);
// Queries must not compare with coalesce($n), which prevents index scans.
Findings coalesced_parameters(const Tree& tree);

// Rules for the consistency of the project.
Findings problem_codes_used(const Tree& tree);
// Files name no absolute path and no package host.
Findings local_paths_and_hosts(const Tree& tree);
// Every library in tools/packages.txt is in ARCHITECTURE.md.
Findings undocumented_libraries(const Tree& tree);

// Rules for documentation pages.
Findings broken_links(const Tree& tree);       // a link leads to a missing file or heading
Findings untested_commands(const Tree& tree);  // no test in tests/pages.txt runs an sh block
// Tables of slices and decision records differ from the tree.
Findings outdated_lists(const Tree& tree);

}  // namespace shopbell::house
