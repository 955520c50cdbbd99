#include "liquid/characters.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace shopbell::liquid {

namespace {

// True for U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000 and U+FEFF.
bool is_wide_blank(std::uint32_t character) {
  return character == 0xa0 || character == 0x1680 || (character >= 0x2000 && character <= 0x200a) ||
         character == 0x2028 || character == 0x2029 || character == 0x202f || character == 0x205f ||
         character == 0x3000 || character == 0xfeff;
}

// Length of the wide blank that the bytes start with: 2, 3, or 0 if there is none.
std::size_t wide_blank_at(std::string_view bytes) {
  const auto byte = [&](std::size_t at) {
    return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
  };
  if (byte(0) == 0xc2) return is_wide_blank(byte(1)) ? 2 : 0;
  if ((byte(0) & 0xf0U) != 0xe0U) return 0;
  return is_wide_blank((byte(0) & 0xfU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU)) ? 3
                                                                                              : 0;
}

bool is_ascii_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::size_t after_characters(std::string_view text, std::size_t from, std::size_t count) {
  std::size_t at = std::min(from, text.size());
  for (; count > 0 && at < text.size(); --count) {
    ++at;
    while (at < text.size() && continues(text[at])) ++at;
  }
  return at;
}

std::size_t find_in(std::string_view text, std::string_view pattern, std::size_t from) {
  if (from > text.size() || pattern.size() > text.size() - from) return npos;
  if (pattern.empty()) return from;
  // memmem() searches for long patterns in linear time, unlike find().
  const void* found =
      ::memmem(text.data() + from, text.size() - from, pattern.data(), pattern.size());
  if (found == nullptr) return npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t blanks_at_start(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const std::size_t blank =
        is_ascii_blank(text[length]) ? 1 : wide_blank_at(text.substr(length, 3));
    if (blank == 0) break;
    length += blank;
  }
  return length;
}

std::size_t blanks_at_end(std::string_view text) {
  std::size_t kept = text.size();
  while (kept > 0) {
    std::size_t begin = kept - 1;
    while (begin > 0 && continues(text[begin])) --begin;
    const std::size_t blank =
        is_ascii_blank(text[begin]) ? 1 : wide_blank_at(text.substr(begin, kept - begin));
    if (blank != kept - begin) break;
    kept = begin;
  }
  return text.size() - kept;
}

}  // namespace shopbell::liquid
