#include "liquid/number.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace shopbell::liquid {
namespace {

std::string parsed(std::string_view text) {
  const auto number = parse_number(text);
  return number ? number->to_string() + (number->whole ? "" : " fraction") : "none";
}

TEST(LiquidNumber, reads_numbers_as_people_write_them) {
  EXPECT_EQ(parsed(" 12 "), "12");
  EXPECT_EQ(parsed("+007"), "7");
  EXPECT_EQ(parsed("-0.50"), "-0.50 fraction");
  EXPECT_EQ(parsed(".5"), "0.5 fraction");
  EXPECT_EQ(parsed("5."), "5");
  EXPECT_EQ(parsed("1e3"), "1000 fraction");
  EXPECT_EQ(parsed("12.00"), "12.00 fraction");
  for (const std::string_view text : {"", " ", "a", "1a", "1 2", "--1", "1.2.3", ".", "1e", "1e99"})
    EXPECT_EQ(parsed(text), "none") << text;
}

TEST(LiquidNumber, rounds_more_than_six_digits_half_even) {
  EXPECT_EQ(parsed("4.3333333333"), "4.333333 fraction");
  EXPECT_EQ(parsed("0.1234565"), "0.123456 fraction");
  EXPECT_EQ(parsed("0.1234575"), "0.123458 fraction");
  EXPECT_EQ(parsed("-0.12345651"), "-0.123457 fraction");
  EXPECT_EQ(parsed("0.0000001"), "0 fraction");
  EXPECT_EQ(parsed("0.9999999"), "1 fraction");
}

TEST(LiquidNumber, quotient_and_remainder_of_whole_numbers_give_the_number) {
  rc::check([](std::int32_t left, std::int32_t right) {
    RC_PRE(right != 0);
    const Number a = whole_number(left);
    const Number b = whole_number(right);
    const Number quotient = quotient_of(a, b).value();
    const Number remainder = remainder_of(a, b).value();
    RC_ASSERT(sum_of(product_of(quotient, b).value(), remainder)->value == a.value);
    RC_ASSERT(remainder.value.is_zero() || remainder.value.is_negative() == (right < 0));
    RC_ASSERT(quotient.whole);
  });
}

TEST(LiquidNumber, rounds_down_up_and_half_away_from_zero) {
  const auto number = [](std::string_view text) { return parse_number(text).value(); };
  EXPECT_EQ(rounded_down(number("-1.5"))->to_string(), "-2");
  EXPECT_EQ(rounded_up(number("-1.5"))->to_string(), "-1");
  EXPECT_EQ(rounded(number("2.5"), 0)->to_string(), "3");
  EXPECT_EQ(rounded(number("-2.5"), 0)->to_string(), "-3");
  EXPECT_EQ(rounded(number("1.2345"), 2)->to_string(), "1.23");
  EXPECT_EQ(rounded(number("1250"), -2)->to_string(), "1300");
  EXPECT_EQ(rounded(number("1.500"), 9)->to_string(), "1.5");
}

}  // namespace
}  // namespace shopbell::liquid
