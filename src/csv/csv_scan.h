// Scans text eight bytes at a time, because most bytes of a file are ordinary characters.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace shopbell::csv {

inline constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;
inline constexpr std::uint64_t kTops = 0x8080'8080'8080'8080;

constexpr std::uint64_t eight_of(char c) { return kOnes * static_cast<unsigned char>(c); }

inline std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return std::endian::native == std::endian::big ? std::byteswap(word) : word;
}

// The lowest set bit marks the first zero byte. Higher bits may be false positives.
constexpr std::uint64_t zero_bytes(std::uint64_t word) { return (word - kOnes) & ~word & kTops; }

// A mark ends an unquoted cell.
constexpr bool is_mark(char c, char delimiter) { return c == delimiter || c == '\n' || c == '\r'; }

// The first mark; `to` when there is none.
inline const char* find_mark(const char* from, const char* to, char delimiter) {
  const std::uint64_t delimiters = eight_of(delimiter);
  for (; to - from >= 8; from += 8) {
    const std::uint64_t word = word_at(from);
    const std::uint64_t marks = zero_bytes(word ^ delimiters) | zero_bytes(word ^ eight_of('\n')) |
                                zero_bytes(word ^ eight_of('\r'));
    if (marks != 0) return from + std::countr_zero(marks) / 8;
  }
  return std::find_if(from, to, [&](char c) { return is_mark(c, delimiter); });
}

// True for ASCII without NUL, which most rows are.
inline bool is_plain(std::string_view text) {
  const char* from = text.data();
  const char* const to = from + text.size();
  for (; to - from >= 8; from += 8) {
    const std::uint64_t word = word_at(from);
    if (((word & kTops) | zero_bytes(word)) != 0) return false;
  }
  return std::all_of(from, to, [](char c) { return static_cast<signed char>(c) > 0; });
}

}  // namespace shopbell::csv
