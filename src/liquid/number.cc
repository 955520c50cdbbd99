#include "liquid/number.h"

#include <algorithm>
#include <charconv>

namespace shopbell::liquid {

namespace {

constexpr std::size_t kFractionDigits = 6;
constexpr std::size_t kTextBytesMax = 200;  // longer texts are no numbers
const Decimal kOne = Decimal::from_integer(1);

std::string_view digits_at_start(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Half-even rounding up to the last kept digit depends on the digits that are cut off.
bool rounds_up(std::string_view kept, std::string_view cut) {
  if (cut[0] != '5') return cut[0] > '5';
  if (cut.find_first_not_of('0', 1) != std::string_view::npos) return true;
  return (kept.back() - '0') % 2 == 1;
}

std::optional<Number> optional_number(std::optional<Decimal> value, bool whole) {
  if (!value) return std::nullopt;
  return Number{*value, whole};
}

Decimal power_of_ten(int exponent) {
  std::int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return Decimal::from_integer(power);
}

std::optional<Decimal> floor_of(Decimal value) {
  const std::string text = value.to_string();
  const auto whole = Decimal::parse(text.substr(0, text.find('.')));
  if (!whole || *whole == value || !value.is_negative()) return whole;
  return whole->minus(kOne);
}

Decimal negative_of(Decimal value) { return *Decimal{}.minus(value); }

}  // namespace

std::optional<Number> parse_number(std::string_view text) {
  if (text.size() > kTextBytesMax) return std::nullopt;
  text = without_blanks(text);
  std::string plain;
  if (text.starts_with('-')) plain = "-";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  std::string_view integer = digits_at_start(text);
  text.remove_prefix(integer.size());
  std::string_view fraction;
  if (text.starts_with('.')) {
    fraction = digits_at_start(text.substr(1));
    text.remove_prefix(1 + fraction.size());
  }
  if (integer.empty() && fraction.empty()) return std::nullopt;
  const std::string_view exponent = text;
  if (!exponent.empty() && (exponent[0] | 0x20) != 'e') return std::nullopt;
  integer.remove_prefix(std::min(integer.find_first_not_of('0'), integer.size()));
  plain.append(integer.empty() ? "0" : integer);

  const bool cut = exponent.empty() && fraction.size() > kFractionDigits;
  const std::string_view kept = cut ? fraction.substr(0, kFractionDigits) : fraction;
  if (!kept.empty()) plain.append(".").append(kept);
  auto value = Decimal::parse(plain.append(exponent));
  if (value && cut && rounds_up(kept, fraction.substr(kFractionDigits))) {
    const Decimal step = *Decimal::parse("0.000001");
    value = plain.starts_with('-') ? value->minus(step) : value->plus(step);
  }
  if (!value) return std::nullopt;
  const bool whole = fraction.empty() && exponent.empty();
  const bool as_written = exponent.empty() && !cut && !value->is_zero();
  return Number{*value, whole, as_written ? static_cast<int>(kept.size()) : 0};
}

std::optional<Number> sum_of(const Number& left, const Number& right) {
  return optional_number(left.value.plus(right.value), left.whole && right.whole);
}

std::optional<Number> difference_of(const Number& left, const Number& right) {
  return optional_number(left.value.minus(right.value), left.whole && right.whole);
}

std::optional<Number> product_of(const Number& left, const Number& right) {
  return optional_number(left.value.scaled(right.value, kOne), left.whole && right.whole);
}

std::optional<Number> quotient_of(const Number& left, const Number& right) {
  if (right.value.is_zero()) return std::nullopt;
  if (!left.whole || !right.whole)
    return optional_number(left.value.scaled(kOne, right.value), false);
  const auto remainder = remainder_of(left, right);
  if (!remainder) return std::nullopt;
  const auto multiple = left.value.minus(remainder->value);
  if (!multiple) return std::nullopt;
  return optional_number(multiple->scaled(kOne, right.value), true);
}

std::optional<Number> remainder_of(const Number& left, const Number& right) {
  const auto quotient = left.value.scaled(kOne, right.value);
  if (!quotient) return std::nullopt;
  const auto whole = floor_of(*quotient);
  const auto multiple = whole ? whole->scaled(right.value, kOne) : std::nullopt;
  auto remainder = multiple ? left.value.minus(*multiple) : std::nullopt;
  if (!remainder) return std::nullopt;
  // The quotient was rounded, so it can be one too high.
  const bool wrong_sign =
      !remainder->is_zero() && remainder->is_negative() != right.value.is_negative();
  if (wrong_sign) remainder = remainder->plus(right.value);
  return optional_number(remainder, left.whole && right.whole);
}

std::optional<Number> rounded_down(const Number& number) {
  return optional_number(floor_of(number.value), true);
}

std::optional<Number> rounded_up(const Number& number) {
  const auto floor = floor_of(negative_of(number.value));
  if (!floor) return std::nullopt;
  return Number{negative_of(*floor), true};
}

std::optional<Number> rounded(const Number& number, int fraction_digits) {
  if (fraction_digits >= static_cast<int>(kFractionDigits))
    return Number{number.value, number.whole};
  const Decimal power = power_of_ten(std::min(std::abs(fraction_digits), 17));
  const bool to_tens = fraction_digits < 0;
  const Decimal magnitude = number.value.is_negative() ? negative_of(number.value) : number.value;
  const auto scaled = to_tens ? magnitude.scaled(kOne, power) : magnitude.scaled(power, kOne);
  const auto raised = scaled ? scaled->plus(*Decimal::parse("0.5")) : std::nullopt;
  const auto whole = raised ? floor_of(*raised) : std::nullopt;
  if (!whole) return std::nullopt;
  const auto result = to_tens ? whole->scaled(power, kOne) : whole->scaled(kOne, power);
  if (!result) return std::nullopt;
  return Number{number.value.is_negative() ? negative_of(*result) : *result, fraction_digits <= 0};
}

std::int64_t to_integer(const Number& number) {
  const std::string text = number.value.to_string();
  std::int64_t integer = 0;
  std::from_chars(text.data(), text.data() + text.size(), integer);  // stops at the decimal point
  return integer;
}

}  // namespace shopbell::liquid
