// Scanner: splits the source of a template into text, outputs `{{ }}` and tags `{% %}`, and removes
// white space beside `-`.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "liquid/expression.h"

namespace shopbell::liquid {

// Thrown by the compiler.
struct SyntaxFault {
  Place place = 0;
  std::string message;
};

struct Piece {
  enum class Kind : std::uint8_t { text, output, tag };

  Kind kind = Kind::text;
  Place place = 0;           // where the piece begins, with its delimiter
  std::string_view content;  // the text; what the delimiters enclose, without white space
};

// The pieces end at the first fault, if any; what is before it can still be compiled.
struct Scanned {
  std::vector<Piece> pieces;
  std::optional<SyntaxFault> fault;
};

Scanned scan(std::string_view source);

// Characters of names, as LiquidJS has them: letters, digits, `_`, `-`, `?` and all beyond ASCII
// but white space.
std::size_t name_length(std::string_view text);

}  // namespace shopbell::liquid
