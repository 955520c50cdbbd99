// Compares the findings of a lint rule with the expected ones: the place, and a part of the
// message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tree.h"

namespace shopbell::house {

struct Expected {
  std::string place;  // file and line, such as "src/pg/pool.cc:12"
  std::string words;  // a part of the message, which shows that the reason is right
};

// Expects exactly these findings, in any order.
inline void expect_findings(const Findings& findings, const std::vector<Expected>& expected) {
  std::vector<bool> seen(findings.size());
  for (const auto& [place, words] : expected) {
    bool found = false;
    for (std::size_t i = 0; i < findings.size() && !found; ++i) {
      const std::string text = to_string(findings[i]);
      found = !seen[i] && text.starts_with(place + ": ") && text.contains(words);
      if (found) seen[i] = true;
    }
    if (!found) ADD_FAILURE() << "missing finding: " << place << ": …" << words << "…";
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!seen[i]) ADD_FAILURE() << to_string(findings[i]);
  }
}

inline void expect_none(const Findings& findings) { expect_findings(findings, {}); }

}  // namespace shopbell::house
