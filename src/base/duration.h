// Durations as definitions write them: ISO 8601, "PT1H", "P30D", "P1M". Months and days are kept
// apart from seconds, because how long they last depends on the calendar.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shopbell {

struct Duration {
  bool negative = false;
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t seconds = 0;

  // How long it lasts at least and at most, whatever the calendar says.
  std::int64_t least_seconds() const { return (months * 28 + days) * 86'400 + seconds; }
  std::int64_t most_seconds() const { return (months * 31 + days) * 86'400 + seconds; }
  bool is_zero() const { return months == 0 && days == 0 && seconds == 0; }
};

// Whole numbers of years, months, weeks, days, hours, minutes and seconds, each at most once and in
// that order, of a hundred years at most; a minus before it turns it back. Nothing for anything
// else.
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace shopbell
