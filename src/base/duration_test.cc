#include "base/duration.h"

#include <gtest/gtest.h>

namespace shopbell {
namespace {

TEST(Duration, parses_every_unit) {
  const auto all = parse_duration("P1Y2M3W4DT5H6M7S");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->months, 14);
  EXPECT_EQ(all->days, 25);
  EXPECT_EQ(all->seconds, 5 * 3600 + 6 * 60 + 7);
  EXPECT_FALSE(all->negative);
  EXPECT_EQ(parse_duration("PT1M")->least_seconds(), 60);
  EXPECT_EQ(parse_duration("P1M")->least_seconds(), 28 * 86'400);
  EXPECT_EQ(parse_duration("P1M")->most_seconds(), 31 * 86'400);
  EXPECT_TRUE(parse_duration("-P90D")->negative);
  EXPECT_TRUE(parse_duration("PT0S")->is_zero());
}

TEST(Duration, rejects_invalid_texts) {
  for (const char* text : {"",      "P",      "PT",        "P1",
                           "1D",    "P1DT",   "PT1D",      "P1H",
                           "P1D2D", "P1D1W",  "P-1D",      "P1.5D",
                           "p1d",   "P1D ",   " P1D",      "--P1D",
                           "+P1D",  "PT1H1H", "P101Y",     "P99999999999999999999D",
                           "P1TD",  "PTT1H",  "P1DT1HT1M", "P9223372036854775807D"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

}  // namespace
}  // namespace shopbell
