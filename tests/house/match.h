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
  // The whole match, then each group; a group without a match is empty.
  std::vector<std::string> parts;
};

std::vector<Match> matches(std::string_view text, const std::string& pattern);

inline bool has_match(std::string_view text, const std::string& pattern) {
  return !matches(text, pattern).empty();
}

}  // namespace shopbell::house
