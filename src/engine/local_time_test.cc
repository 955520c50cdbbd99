// tests/zones/compare checks the conversions against Python over many zones and years.
#include "engine/local_time.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace shopbell::engine {
namespace {

Instant at(std::string_view text) { return *parse_rfc3339(text); }
Date day(std::string_view text) { return *parse_date(text); }
Zone vienna() { return zone_of("Europe/Vienna", "UTC"); }
Duration lasting(std::string_view text) { return *parse_duration(text); }

TEST(LocalTime, falls_back_to_the_second_zone_then_to_utc) {
  EXPECT_EQ(zone_of("Europe/Vienna", "UTC")->name(), "Europe/Vienna");
  EXPECT_EQ(zone_of("", "Asia/Tokyo")->name(), "Asia/Tokyo");
  EXPECT_EQ(zone_of("Mars/Base", "Asia/Tokyo")->name(), "Asia/Tokyo");
  EXPECT_EQ(local_date(zone_of("", ""), at("2026-03-02T23:59:00Z")), day("2026-03-02"));
}

TEST(LocalTime, a_skipped_time_becomes_the_first_valid_one) {
  const auto two = LocalTime{std::chrono::local_days{day("2026-03-29")} + std::chrono::hours{2}};
  for (const int minutes : {0, 1, 30, 59})
    EXPECT_EQ(instant_of(vienna(), two + std::chrono::minutes{minutes}),
              at("2026-03-29T01:00:00Z"));
  EXPECT_EQ(instant_of(vienna(), two + std::chrono::minutes{60}), at("2026-03-29T01:00:00Z"));
  EXPECT_EQ(instant_of(vienna(), two - std::chrono::minutes{1}), at("2026-03-29T00:59:00Z"));
}

TEST(LocalTime, a_repeated_time_is_the_first_one) {
  const auto two = LocalTime{std::chrono::local_days{day("2026-10-25")} + std::chrono::hours{2}};
  EXPECT_EQ(instant_of(vienna(), two), at("2026-10-25T00:00:00Z"));
}

TEST(LocalTime, months_end_on_the_last_day) {
  EXPECT_EQ(plus(day("2026-01-31"), lasting("P1M")), day("2026-02-28"));
  EXPECT_EQ(plus(day("2024-01-31"), lasting("P1M")), day("2024-02-29"));
  EXPECT_EQ(plus(day("2024-02-29"), lasting("P1Y")), day("2025-02-28"));
  EXPECT_EQ(plus(day("2026-03-31"), lasting("-P1M")), day("2026-02-28"));
  EXPECT_EQ(plus(day("2026-01-31"), lasting("P1M1D")), day("2026-03-01"));
}

TEST(LocalTime, anniversaries_of_29_february) {
  EXPECT_EQ(next_anniversary(day("2000-02-29"), day("2026-01-01")), day("2026-02-28"));
  EXPECT_EQ(next_anniversary(day("2000-02-29"), day("2028-02-28")), day("2028-02-29"));
  EXPECT_EQ(next_anniversary(day("2000-02-29"), day("2026-03-01")), day("2027-02-28"));
}

TEST(LocalTime, days_from_a_number_are_whole) {
  EXPECT_EQ(duration_of_days(*Decimal::parse("2.9"))->days, 2);
  EXPECT_EQ(duration_of_days(*Decimal::parse("0"))->days, 0);
  const auto back = duration_of_days(*Decimal::parse("-1.5"));
  EXPECT_TRUE(back->negative);
  EXPECT_EQ(back->days, 2);
  EXPECT_FALSE(duration_of_days(*Decimal::parse("1e6")));
}

TEST(LocalTime, a_clock_has_five_characters) {
  EXPECT_EQ(parse_clock("09:30"), std::chrono::minutes{570});
  for (const auto* text : {"", "9:30", "09:60", "24:00", "09-30", "09:30:00", "a9:30"})
    EXPECT_FALSE(parse_clock(text)) << text;
}

TEST(LocalTime, the_next_local_time_is_later_and_at_most_ten_days_away) {
  constexpr std::array<std::string_view, 5> kZones{"Europe/Vienna", "America/St_Johns",
                                                   "Australia/Lord_Howe", "Pacific/Apia", "UTC"};
  rc::check([&] {
    const Zone zone = zone_of(kZones.at(*rc::gen::inRange<std::size_t>(0, 5)), "UTC");
    const Instant after{std::chrono::seconds{*rc::gen::inRange(1'577'836'800, 1'893'456'000)}};
    const std::chrono::minutes clock{*rc::gen::inRange(0, 1440)};
    const auto days = *rc::gen::inRange<Weekdays>(0, 128);
    const Instant next = next_local(zone, clock, days, after);
    RC_ASSERT(next > after);
    RC_ASSERT(next <= after + std::chrono::days{9});
    const LocalTime local = local_of(zone, next);
    const auto midnight = std::chrono::floor<std::chrono::days>(local);
    RC_ASSERT(includes(days, std::chrono::weekday{midnight}));
    RC_ASSERT(local - midnight >= clock);  // later only if the clock skips the time
    RC_ASSERT(local - midnight <= clock + std::chrono::hours{1});
  });
}

}  // namespace
}  // namespace shopbell::engine
