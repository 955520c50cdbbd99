// Upper and lower case of Unicode text, by ICU, the same in every locale.
#pragma once

#include <string>
#include <string_view>

namespace shopbell {

// The text must be valid UTF-8. The result can be longer than the text: "ß" becomes "SS".
std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);

}  // namespace shopbell
