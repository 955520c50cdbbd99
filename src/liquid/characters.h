// Characters (code points) and white space of valid UTF-8 texts.
#pragma once

#include <cstddef>
#include <string_view>

namespace shopbell::liquid {

inline constexpr std::size_t npos = std::string_view::npos;

// The byte position after `count` characters from the byte `from` on, at most the end.
std::size_t after_characters(std::string_view text, std::size_t from, std::size_t count);

// `count` characters of the text, from the character number `first` on.
inline std::string_view characters(std::string_view text, std::size_t first, std::size_t count) {
  const std::size_t begin = after_characters(text, 0, first);
  return text.substr(begin, after_characters(text, begin, count) - begin);
}

// Like text.find(pattern, from), but its time is limited: each byte of the text is compared with at
// most 256 bytes of the pattern, whatever they contain.
std::size_t find_in(std::string_view text, std::string_view pattern, std::size_t from = 0);

// Length in bytes of the white space at the start or at the end of the text. Includes Unicode's
// spaces, such as U+00A0.
std::size_t blanks_at_start(std::string_view text);
std::size_t blanks_at_end(std::string_view text);

}  // namespace shopbell::liquid
