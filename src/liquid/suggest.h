// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace shopbell::liquid {

// "Did you mean `upcase`?" if a known name is similar, else "There are: `a`, `b`."
std::string suggestion(std::string_view name, std::span<const std::string_view> known);

}  // namespace shopbell::liquid
