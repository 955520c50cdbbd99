#include "match.h"

#include <map>

#if defined(__GNUC__) && !defined(__clang__)
// GCC 14 with ASan warns about the code of <regex>.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <regex>

namespace shopbell::house {

std::vector<Match> matches(std::string_view text, const std::string& pattern) {
  static std::map<std::string, std::regex> compiled;
  const auto& regex = compiled.try_emplace(pattern, pattern).first->second;

  std::vector<Match> all;
  using Iterator = std::regex_iterator<std::string_view::const_iterator>;
  for (Iterator found{text.begin(), text.end(), regex}, none; found != none; ++found) {
    Match& match = all.emplace_back();
    match.at = static_cast<std::size_t>(found->position());
    for (const auto& part : *found) match.parts.push_back(part.str());
  }
  return all;
}

}  // namespace shopbell::house
