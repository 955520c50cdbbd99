// The source tree as text, and the findings of a rule. A rule gets only a Tree, so a test can pass
// a small one that violates the rule.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::house {

using Tree = std::map<std::string, std::string>;  // path relative to the checkout → content

struct Finding {
  std::string file;
  std::size_t line;
  std::string message;  // what is wrong, and what to do instead
};

using Findings = std::vector<Finding>;

// Formats a finding as "src/pg/pool.cc:12: …".
std::string to_string(const Finding& finding);

// Reads every text file that git tracks or does not ignore; without git, all but build output.
Tree read_tree(const std::filesystem::path& root);

std::vector<std::string_view> lines_of(std::string_view text);

// Returns the first folder of a path below `top`; empty for a file directly in `top`.
std::string folder_in(std::string_view path, std::string_view top);

inline constexpr std::string_view kSlices = "src/resources/";
// Maps each slice to the slices in its USES file, each with its line there.
using SliceGraph = std::map<std::string, std::map<std::string, std::size_t>>;
SliceGraph slice_graph(const Tree& tree);

std::size_t line_at(std::string_view text, std::size_t offset);
std::string_view trimmed(std::string_view text);
std::string_view file_name(std::string_view path);

// Returns the position of `word` at or after `from`, or npos. The word must not have a letter, a
// digit or one of `joiners` on either side.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0,
                      std::string_view joiners = "_");

bool is_cpp(std::string_view path);
bool is_test(
    // Decides by the suffix: _test, _pgtest, _s3test, _kafkatest, _fuzz, _bench.
    std::string_view path);
// True if the first three lines contain the marker of generated files.
bool is_generated(std::string_view text);

}  // namespace shopbell::house
