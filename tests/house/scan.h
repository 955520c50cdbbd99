// Just enough C++ to lint by: which characters are code, what a file includes, where its functions
// are.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::house {

// The text with comments, strings and characters blanked; every offset and line stays where it was.
std::string code_only(std::string_view text);

struct Include {
  std::string target;
  std::size_t line;
  bool quoted;
};
std::vector<Include> includes_of(std::string_view text);

// A block with a parameter list that stands in a namespace, a class or a table. A lambda inside
// another function is part of that function.
struct Function {
  std::string name;
  std::size_t line;
  std::size_t length;  // lines, from its header to its closing brace
};
std::vector<Function> functions_of(std::string_view text);

}  // namespace shopbell::house
