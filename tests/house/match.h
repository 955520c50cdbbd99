// Regular expressions for the rules. Including <regex> costs seconds of compile time, so only
// match.cc does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::house {

struct Match {
  std::size_t at;
  std::vector<std::string> parts;  // the whole match, then each group; empty if unmatched
};

std::vector<Match> matches(std::string_view text, const std::string& pattern);

inline bool has_match(std::string_view text, const std::string& pattern) {
  return !matches(text, pattern).empty();
}

}  // namespace shopbell::house
