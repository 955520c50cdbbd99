// Regular expressions for the rules. std::regex costs seconds in each file that includes it, so one
// does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::house {

struct Match {
  std::size_t at;
  std::vector<std::string> parts;  // the whole, then each group; empty for one that took no part
};

std::vector<Match> matches(std::string_view text, const std::string& pattern);

inline bool has_match(std::string_view text, const std::string& pattern) {
  return !matches(text, pattern).empty();
}

}  // namespace shopbell::house
