// Filters on numbers.
#include <array>
#include <format>

#include "liquid/filters.h"

namespace shopbell::liquid {

namespace {

Value result_of(const std::optional<Number>& number) {
  if (!number) throw Stop{"The result has more than 18 digits before the decimal point."};
  return *number;
}

Number input(const FilterInput& in) { return number_of(in.value); }
Number argument(const FilterInput& in) { return number_of(in.arguments[0]); }

Number divisor(const FilterInput& in, std::string_view filter) {
  const Number number = argument(in);
  if (number.value.is_zero()) throw Stop{std::format("`{}` divides by zero.", filter)};
  return number;
}

Number without_trailing_zeros(const Number& number) { return {number.value, number.whole}; }

Value plus(const FilterInput& in) { return result_of(sum_of(input(in), argument(in))); }
Value minus(const FilterInput& in) { return result_of(difference_of(input(in), argument(in))); }
Value times(const FilterInput& in) { return result_of(product_of(input(in), argument(in))); }
Value divided_by(const FilterInput& in) {
  return result_of(quotient_of(input(in), divisor(in, "divided_by")));
}
Value modulo(const FilterInput& in) {
  return result_of(remainder_of(input(in), divisor(in, "modulo")));
}

Value floor(const FilterInput& in) { return result_of(rounded_down(input(in))); }
Value ceil(const FilterInput& in) { return result_of(rounded_up(input(in))); }

Value round(const FilterInput& in) {
  const std::int64_t digits = in.has_argument(0) ? to_integer(argument(in)) : 0;
  if (digits < -17) return whole_number(0);
  return result_of(rounded(input(in), static_cast<int>(std::min<std::int64_t>(digits, 6))));
}

Value abs(const FilterInput& in) {
  const Number number = input(in);
  if (!number.value.is_negative()) return without_trailing_zeros(number);
  return result_of(difference_of(whole_number(0), number));
}

Value at_least(const FilterInput& in) {
  const Number left = input(in);
  const Number right = argument(in);
  return without_trailing_zeros(left.value < right.value ? right : left);
}

Value at_most(const FilterInput& in) {
  const Number left = input(in);
  const Number right = argument(in);
  return without_trailing_zeros(right.value < left.value ? right : left);
}

constexpr std::array kNumberFilters{
    Filter{"abs", 0, 0, abs},
    Filter{"at_least", 1, 1, at_least},
    Filter{"at_most", 1, 1, at_most},
    Filter{"ceil", 0, 0, ceil},
    Filter{"divided_by", 1, 1, divided_by, 2},
    Filter{"floor", 0, 0, floor},
    Filter{"minus", 1, 1, minus},
    Filter{"modulo", 1, 1, modulo, 4},
    Filter{"plus", 1, 1, plus},
    Filter{"round", 0, 1, round, 4},
    Filter{"times", 1, 1, times, 2},
};

}  // namespace

std::span<const Filter> number_filters() { return kNumberFilters; }

}  // namespace shopbell::liquid
