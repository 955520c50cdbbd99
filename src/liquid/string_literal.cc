#include "liquid/string_literal.h"

#include <cstdint>
#include <optional>

namespace shopbell::liquid {

namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// Removes up to `digits_max` digits from the start of the text.
std::uint32_t take_digits(std::string_view& text, int base, int digits_max) {
  std::uint32_t value = 0;
  for (int i = 0; i < digits_max && !text.empty() && digit_of(text[0]) < base; ++i) {
    value =
        value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit_of(text[0]));
    text.remove_prefix(1);
  }
  return value;
}

void append_utf8(std::string& text, std::uint32_t character) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (character < 0x80) return byte(character);
  if (character < 0x800) {
    byte(0xc0 | character >> 6);
  } else {
    if (character < 0x10000) {
      byte(0xe0 | character >> 12);
    } else {
      byte(0xf0 | character >> 18);
      byte(0x80 | (character >> 12 & 0x3f));
    }
    byte(0x80 | (character >> 6 & 0x3f));
  }
  byte(0x80 | (character & 0x3f));
}

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

// Reads the character after `\u`, which may take two escapes.
std::uint32_t take_unicode(std::string_view& text) {
  const std::uint32_t unit = take_digits(text, 16, 4);
  if (!is_high_surrogate(unit) || !text.starts_with("\\u")) return unit;
  std::string_view rest = text.substr(2);
  const std::uint32_t low = take_digits(rest, 16, 4);
  if (!is_low_surrogate(low)) return unit;
  text = rest;
  return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

// Reads the text after a backslash.
std::uint32_t take_escaped(std::string_view& text) {
  constexpr std::string_view kNames = "bfnrtv";
  constexpr std::string_view kCharacters = "\b\f\n\r\t\v";
  const char c = text[0];
  if (digit_of(c) < 8) return take_digits(text, 8, 3);
  text.remove_prefix(1);
  if (c == 'u') return take_unicode(text);
  const auto named = kNames.find(c);
  return static_cast<unsigned char>(named == std::string_view::npos ? c : kCharacters[named]);
}

// Returns nullopt for a literal that is not valid.
std::optional<std::string> unescape(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c != '\\' || text.empty() || static_cast<unsigned char>(text[0]) >= 0x80) {
      if (c != '\\') result += c;
      continue;
    }
    const std::uint32_t character = take_escaped(text);
    if (character == 0 || is_high_surrogate(character) || is_low_surrogate(character))
      return std::nullopt;
    append_utf8(result, character);
  }
  return result;
}

}  // namespace

bool is_valid_literal(std::string_view text) { return unescape(text).has_value(); }

std::string unescaped_literal(std::string_view text) { return *unescape(text); }

}  // namespace shopbell::liquid
