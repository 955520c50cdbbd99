// ISO 8601 durations of workflow definitions: "PT1H", "P30D", "P1M". Months and days are stored
// apart from seconds, because their length depends on the calendar.
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

  // Lower and upper bound of the length: a month has 28 to 31 days.
  std::int64_t least_seconds() const { return (months * 28 + days) * 86'400 + seconds; }
  std::int64_t most_seconds() const { return (months * 31 + days) * 86'400 + seconds; }
  bool is_zero() const { return months == 0 && days == 0 && seconds == 0; }
};

// Accepts whole years, months, weeks, days, hours, minutes and seconds, each at most once and in
// this order, up to 100 years. A leading minus negates. Returns nullopt for any other text.
std::optional<Duration> parse_duration(std::string_view text);

}  // namespace shopbell
