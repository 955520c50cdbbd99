#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace shopbell {
namespace {

TEST(Time, writes_utc_with_milliseconds) {
  EXPECT_EQ(to_rfc3339(Instant{std::chrono::microseconds{1'767'225'600'123'999}}),
            "2026-01-01T00:00:00.123Z");
  EXPECT_EQ(to_rfc3339(Instant{}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_rfc3339_exactly(Instant{std::chrono::microseconds{1'767'225'600'123'999}}),
            "2026-01-01T00:00:00.123999Z");
}

TEST(Time, reads_any_offset) {
  const auto utc = parse_rfc3339("2026-03-01T00:30:00Z");
  ASSERT_TRUE(utc);
  EXPECT_EQ(utc, parse_rfc3339("2026-03-01T02:30:00+02:00"));
  EXPECT_EQ(utc, parse_rfc3339("2026-02-28T19:00:00-05:30"));
  EXPECT_EQ(*utc + std::chrono::microseconds{123456},
            parse_rfc3339("2026-03-01T00:30:00.123456789Z"));
}

TEST(Time, rejects_texts_that_are_not_rfc3339) {
  for (const char* text : {"", "2026", "2026-03-01", "2026-03-01T00:30:00", "2026-02-29T00:00:00Z",
                           "2026-13-01T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T00:60:00Z",
                           "2026-06-30T23:59:60Z", "0000-01-01T00:00:00Z", "2026-03-01T00:30:00.Z",
                           "2026-03-01T00:30:00+0200", "2026-03-01T00:30:00Zx",
                           "9999-12-31T23:59:59-01:00", "2026-03-01T00:30:00+24:00"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Time, round_trips) {
  EXPECT_TRUE(rc::check([](std::int64_t seed) {
    const Instant instant{std::chrono::milliseconds{seed % 100'000'000'000'000LL}};
    const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(instant)};
    RC_PRE(day.year() >= std::chrono::year{1} && day.year() <= std::chrono::year{9999});
    RC_ASSERT(parse_rfc3339(to_rfc3339(instant)) == instant);
  }));
}

TEST(Time, reads_postgres_output) {
  EXPECT_EQ(parse_postgres_time("2026-11-15 02:04:25.5+00"),
            parse_rfc3339("2026-11-15T02:04:25.5Z"));
  EXPECT_EQ(parse_postgres_time("2026-11-15 02:04:25+00"), parse_rfc3339("2026-11-15T02:04:25Z"));
  EXPECT_FALSE(parse_postgres_time("2026-11-15 02:04:25+01"));
  EXPECT_FALSE(parse_postgres_time("infinity"));
}

}  // namespace
}  // namespace shopbell
