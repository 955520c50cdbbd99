// Number: the exact decimals of templates. Arithmetic follows Liquid: whole numbers divide to whole
// numbers, and a result has no trailing zeros.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"

namespace shopbell::liquid {

struct Number {
  Decimal value;
  bool whole = true;        // written without a fraction, or computed from such numbers alone
  int fraction_digits = 0;  // as written: "12.50" has two

  std::string to_string() const { return value.to_string(fraction_digits); }
};

inline Number whole_number(std::int64_t value) { return {Decimal::from_integer(value)}; }

// Reads a number as people write it: " 12 ", "+1", ".5", "007", "1e3". More than 6 fraction digits
// are rounded half-even. Returns nullopt for other texts and for more than 18 integer digits.
std::optional<Number> parse_number(std::string_view text);

// Return nullopt if the result has more than 18 integer digits or the divisor is zero.
std::optional<Number> sum_of(const Number& left, const Number& right);
std::optional<Number> difference_of(const Number& left, const Number& right);
std::optional<Number> product_of(const Number& left, const Number& right);
// Two whole numbers give the quotient rounded down; others six digits, half-even.
std::optional<Number> quotient_of(const Number& left, const Number& right);
// The remainder has the sign of the divisor.
std::optional<Number> remainder_of(const Number& left, const Number& right);

std::optional<Number> rounded_down(const Number& number);
std::optional<Number> rounded_up(const Number& number);
// Rounds half away from zero to that many fraction digits; a negative count rounds to tens.
std::optional<Number> rounded(const Number& number, int fraction_digits);

// The integer part, for counts and positions; limited to what fits.
std::int64_t to_integer(const Number& number);

}  // namespace shopbell::liquid
