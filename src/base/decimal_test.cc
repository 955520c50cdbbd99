#include "base/decimal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace shopbell {
namespace {

std::string roundtrip(std::string_view text, int digits = 0) {
  const auto value = Decimal::parse(text);
  return value ? value->to_string(digits) : "none";
}

TEST(Decimal, reads_and_writes_exactly) {
  EXPECT_EQ(roundtrip("0"), "0");
  EXPECT_EQ(roundtrip("-0"), "0");
  EXPECT_EQ(roundtrip("19.90", 2), "19.90");
  EXPECT_EQ(roundtrip("19.9"), "19.9");
  EXPECT_EQ(roundtrip("0.000001"), "0.000001");
  EXPECT_EQ(roundtrip("-0.000001", 2), "-0.000001");
  EXPECT_EQ(roundtrip("999999999999999999.999999"), "999999999999999999.999999");
  EXPECT_EQ(roundtrip("0.1000000000"), "0.1");
  EXPECT_EQ(roundtrip("1e3"), "1000");
  EXPECT_EQ(roundtrip("1.5E-2"), "0.015");
  EXPECT_EQ(roundtrip("0e999999999999"), "0");
  EXPECT_EQ(roundtrip("100", 2), "100.00");
}

TEST(Decimal, rejects_texts_that_are_not_numbers_or_do_not_fit) {
  for (const char* text :
       {"", "-", "+1", ".5", "5.", "01", "1e", "1e+", "0x10", "NaN", "1,5", " 1", "1 ",
        "1000000000000000000", "0.0000001", "1e18", "1e-7", "--1", "1.2.3"}) {
    EXPECT_FALSE(Decimal::parse(text)) << text;
  }
  EXPECT_FALSE(Decimal::parse(std::string(5000, '1')));
}

TEST(Decimal, addition_fails_on_overflow) {
  const Decimal most = *Decimal::parse("999999999999999999.999999");
  const Decimal least_step = *Decimal::parse("0.000001");
  EXPECT_FALSE(most.plus(least_step));
  EXPECT_EQ(most.minus(least_step)->to_string(), "999999999999999999.999998");
}

TEST(Decimal, scales_half_even) {
  const auto scaled = [](const char* a, const char* n, const char* d) {
    const auto value = Decimal::parse(a)->scaled(*Decimal::parse(n), *Decimal::parse(d));
    return value ? value->to_string() : "none";
  };
  EXPECT_EQ(scaled("10", "1", "3"), "3.333333");
  EXPECT_EQ(scaled("20", "1", "3"), "6.666667");
  EXPECT_EQ(scaled("0.000001", "1", "2"), "0");         // 0.5 millionths round to even
  EXPECT_EQ(scaled("0.000003", "1", "2"), "0.000002");  // 1.5 millionths round to even
  EXPECT_EQ(scaled("-0.000003", "1", "2"), "-0.000002");
  EXPECT_EQ(scaled("999999999999999999", "999999999999999999", "999999999999999999"),
            "999999999999999999");
  EXPECT_EQ(scaled("999999999999999999", "2", "1"), "none");
  EXPECT_EQ(scaled("1", "1", "0"), "none");
}

TEST(Decimal, scaling_matches_integer_arithmetic_on_small_values) {
  EXPECT_TRUE(rc::check([](std::int32_t a, std::int16_t n, std::int16_t d) {
    RC_PRE(d != 0);
    const auto value =
        Decimal::from_integer(a).scaled(Decimal::from_integer(n), Decimal::from_integer(d));
    RC_ASSERT(value.has_value());
    const Int128 exact = Int128{a} * n * 1'000'000;
    const Int128 millionths = exact / d;
    const Int128 twice_rest = 2 * (exact % d < 0 ? -(exact % d) : exact % d);
    const Int128 divisor = d < 0 ? -Int128{d} : Int128{d};
    const bool up = twice_rest > divisor || (twice_rest == divisor && millionths % 2 != 0);
    const Int128 sign = (exact < 0) != (d < 0) ? -1 : 1;
    const auto expected = static_cast<std::int64_t>(millionths + (up ? sign : 0));
    RC_ASSERT(value == Decimal::from_integer(expected).scaled(Decimal::from_integer(1),
                                                              Decimal::from_integer(1'000'000)));
  }));
}

TEST(Decimal, text_round_trips) {
  EXPECT_TRUE(rc::check([](std::int64_t whole, std::uint32_t fraction) {
    const std::string text =
        std::to_string(whole / 100) + "." + std::to_string(100'000 + fraction % 900'000);
    RC_ASSERT(Decimal::parse(text)->to_string(6) == text);
  }));
}

}  // namespace
}  // namespace shopbell
