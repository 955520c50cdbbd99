// A minimal C++ scanner for the lint rules: finds code, includes and functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell::house {

// Replaces comments, string and character literals with blanks; offsets and lines stay the same.
std::string code_only(std::string_view text);

struct Include {
  std::string target;
  std::size_t line;
  bool quoted;
};
std::vector<Include> includes_of(std::string_view text);

// A function, or a lambda in a table, directly in a namespace or class. A lambda inside a function
// is part of that function.
struct Function {
  std::string name;
  std::size_t line;
  std::size_t length;  // number of lines, from the header to the closing brace
};
std::vector<Function> functions_of(std::string_view text);

}  // namespace shopbell::house
