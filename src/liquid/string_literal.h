// Texts in quotes: \n, \t, \", \u00e9 and the other escapes of LiquidJS.
#pragma once

#include <string>
#include <string_view>

namespace shopbell::liquid {

// False if an escape means U+0000 or half of a surrogate pair.
bool is_valid_literal(std::string_view text);

// The text between the quotes with its escapes replaced. Requires a valid literal.
std::string unescaped_literal(std::string_view text);

}  // namespace shopbell::liquid
