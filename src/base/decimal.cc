#include "base/decimal.h"

#include <algorithm>
#include <array>
#include <limits>

namespace shopbell {

namespace {

constexpr int kIntegerDigits = 18;
constexpr int kFractionDigits = 6;

constexpr Int128 power_of_ten(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

constexpr Int128 kOne = power_of_ten(kFractionDigits);
constexpr Int128 kBound = power_of_ten(kIntegerDigits + kFractionDigits);

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The parts of a JSON number. Digits stay text until their weight is known.
struct NumberText {
  bool negative = false;
  std::string digits;  // integer and fraction digits, without the point
  int point = 0;       // digits before the point, after the exponent is applied
};

std::optional<NumberText> split_number(std::string_view text) {
  NumberText number;
  if (text.starts_with('-')) {
    number.negative = true;
    text.remove_prefix(1);
  }
  const auto take_digits = [&] {
    const auto end = std::ranges::find_if_not(text, is_digit);
    const std::string_view taken{text.begin(), end};
    text.remove_prefix(taken.size());
    return taken;
  };
  const std::string_view integer = take_digits();
  if (integer.empty() || (integer.size() > 1 && integer.front() == '0')) return std::nullopt;
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits();
    if (fraction.empty()) return std::nullopt;
  }
  int exponent = 0;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    const bool down = text.starts_with('-');
    if (down || text.starts_with('+')) text.remove_prefix(1);
    const std::string_view digits = take_digits();
    if (digits.empty()) return std::nullopt;
    for (const char digit : digits) exponent = std::min(exponent * 10 + (digit - '0'), 10'000);
    if (down) exponent = -exponent;
  }
  if (!text.empty()) return std::nullopt;
  number.digits.append(integer).append(fraction);
  // 4,096 digits cover every usual way to write a value that fits; longer texts are rejected before
  // any arithmetic.
  if (number.digits.size() > 4096) return std::nullopt;
  number.point = static_cast<int>(integer.size()) + exponent;
  return number;
}

}  // namespace

std::optional<Decimal> Decimal::fitting(Int128 millionths) {
  if (millionths >= kBound || millionths <= -kBound) return std::nullopt;
  return Decimal{millionths};
}

std::optional<Decimal> Decimal::parse(std::string_view text) {
  const auto number = split_number(text);
  if (!number) return std::nullopt;
  Int128 millionths = 0;
  // Digit i has the weight 10^(point - 1 - i); the smallest supported weight is one millionth.
  for (std::size_t i = 0; i < number->digits.size(); ++i) {
    const int digit = number->digits[i] - '0';
    if (digit == 0) continue;
    const int weight = number->point - 1 - static_cast<int>(i);
    if (weight < -kFractionDigits || weight >= kIntegerDigits) return std::nullopt;
    millionths += digit * power_of_ten(weight + kFractionDigits);
  }
  return Decimal{number->negative ? -millionths : millionths};
}

Decimal Decimal::from_integer(std::int64_t value) {
  return Decimal{std::clamp(Int128{value} * kOne, -(kBound - 1), kBound - 1)};
}

std::string Decimal::to_string(int fraction_digits_min) const {
  const Int128 magnitude = millionths_ < 0 ? -millionths_ : millionths_;
  // Both parts fit 64 bits, whose division is much faster.
  auto whole = static_cast<std::uint64_t>(magnitude / kOne);
  auto fraction = static_cast<std::uint64_t>(magnitude - Int128{whole} * kOne);
  std::array<char, kIntegerDigits + kFractionDigits + 2> digits;
  char* begin = digits.end();
  int fraction_digits = kFractionDigits;
  while (fraction_digits > fraction_digits_min && fraction % 10 == 0) {
    fraction /= 10;
    --fraction_digits;
  }
  for (int i = 0; i < fraction_digits; ++i, fraction /= 10)
    *--begin = static_cast<char>('0' + fraction % 10);
  if (fraction_digits > 0) *--begin = '.';
  do {
    *--begin = static_cast<char>('0' + whole % 10);
    whole /= 10;
  } while (whole > 0);
  if (millionths_ < 0) *--begin = '-';
  return {begin, digits.end()};
}

std::optional<Decimal> Decimal::plus(Decimal other) const {
  return fitting(millionths_ + other.millionths_);
}

std::optional<Decimal> Decimal::minus(Decimal other) const {
  return fitting(millionths_ - other.millionths_);
}

std::optional<Decimal> Decimal::scaled(Decimal numerator, Decimal denominator) const {
  if (denominator.is_zero()) return std::nullopt;
  const bool negative = is_negative() != (numerator.is_negative() != denominator.is_negative());
  const auto magnitude = [](Int128 value) {
    return static_cast<Unsigned128>(value < 0 ? -value : value);
  };
  const Unsigned128 divisor = magnitude(denominator.millionths_);
  Unsigned128 multiplier = magnitude(numerator.millionths_);

  // The product needs up to 160 bits, so the loop computes quotient and remainder of a × b / d
  // bit by bit. In each step it doubles `a`. All values stay below 2^127: d < 10^24 < 2^80.
  Unsigned128 quotient = 0;
  Unsigned128 remainder = 0;
  Unsigned128 addend_quotient = magnitude(millionths_) / divisor;
  Unsigned128 addend_remainder = magnitude(millionths_) % divisor;
  while (multiplier > 0) {
    if (multiplier & 1) {
      quotient += addend_quotient;
      remainder += addend_remainder;
      if (remainder >= divisor) {
        remainder -= divisor;
        ++quotient;
      }
      if (quotient >= static_cast<Unsigned128>(kBound)) return std::nullopt;
    }
    multiplier >>= 1;
    if (multiplier == 0) break;
    addend_quotient *= 2;
    addend_remainder *= 2;
    if (addend_remainder >= divisor) {
      addend_remainder -= divisor;
      ++addend_quotient;
    }
    if (addend_quotient >= static_cast<Unsigned128>(kBound)) return std::nullopt;
  }
  const Unsigned128 twice = remainder * 2;
  if (twice > divisor || (twice == divisor && (quotient & 1))) ++quotient;
  return fitting(negative ? -static_cast<Int128>(quotient) : static_cast<Int128>(quotient));
}

}  // namespace shopbell
