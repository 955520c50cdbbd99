// Decimal: exact numbers for money and quantities, with 18 integer and 6 fraction digits. The value
// is an integer number of millionths and is parsed from and written as text, never as a float.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shopbell {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Unsigned128;

class Decimal {
 public:
  constexpr Decimal() = default;

  // Accepts JSON's number grammar, with exponents ("12.50", "-3", "1e3"). Returns nullopt for any
  // other text and for a number that does not fit exactly; trailing zeros are ignored.
  static std::optional<Decimal> parse(std::string_view text);
  static Decimal from_integer(std::int64_t value);

  // Writes at least `fraction_digits_min` fraction digits, and no trailing zeros beyond them.
  std::string to_string(int fraction_digits_min = 0) const;

  // Return nullopt when the result has more than 18 integer digits.
  std::optional<Decimal> plus(Decimal other) const;
  std::optional<Decimal> minus(Decimal other) const;

  // this × numerator / denominator, rounded half-even to six digits. Returns nullopt when the
  // denominator is zero or the result does not fit.
  std::optional<Decimal> scaled(Decimal numerator, Decimal denominator) const;

  constexpr bool is_zero() const { return millionths_ == 0; }
  constexpr bool is_negative() const { return millionths_ < 0; }
  constexpr std::strong_ordering operator<=>(const Decimal& other) const {
    return millionths_ < other.millionths_   ? std::strong_ordering::less
           : millionths_ > other.millionths_ ? std::strong_ordering::greater
                                             : std::strong_ordering::equal;
  }
  constexpr bool operator==(const Decimal& other) const = default;

 private:
  explicit constexpr Decimal(Int128 millionths) : millionths_{millionths} {}
  static std::optional<Decimal> fitting(Int128 millionths);

  Int128 millionths_ = 0;
};

}  // namespace shopbell
