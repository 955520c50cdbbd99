#include "resources/workflows/money.h"

#include <gtest/gtest.h>

namespace shopbell::workflows {
namespace {

TEST(Money, has_the_digits_of_its_currency) {
  EXPECT_EQ(money_of("0", "EUR").amount, "0.00");
  EXPECT_EQ(money_of("12.500000", "EUR").amount, "12.50");
  EXPECT_EQ(money_of("12.345678", "EUR").amount, "12.345678");
  EXPECT_EQ(money_of("1200.000000", "JPY").amount, "1200");
  EXPECT_EQ(money_of("-3.5", "KWD").amount, "-3.500");
}

TEST(Money, may_exceed_the_amount_of_a_purchase) {
  EXPECT_EQ(money_of("9999999999999999999.5", "EUR").amount, "9999999999999999999.5");
}

}  // namespace
}  // namespace shopbell::workflows
