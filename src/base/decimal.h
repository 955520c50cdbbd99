// Decimal: exact numbers for money and quantities, 18 integer and 6 fraction digits. Never a float:
// it is read from text, kept as a whole number of millionths, and written as text.
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

  // JSON's number grammar, exponents included ("12.50", "-3", "1e3"); nothing when it is not a
  // number or does not fit exactly. Trailing zeros past six fraction digits are no loss and
  // allowed.
  static std::optional<Decimal> parse(std::string_view text);
  static Decimal from_integer(std::int64_t value);

  // With at least `fraction_digits_min` fraction digits, and no further trailing zeros.
  std::string to_string(int fraction_digits_min = 0) const;

  // Sums that leave 18 integer digits have no value.
  std::optional<Decimal> plus(Decimal other) const;
  std::optional<Decimal> minus(Decimal other) const;

  // this × numerator / denominator, rounded half-even to six digits; nothing when the denominator
  // is zero or the result does not fit.
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
