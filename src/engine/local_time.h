// Local times: converts between UTC and the time zone of a contact or a store, with the system's
// time zone rules.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "base/decimal.h"
#include "base/duration.h"
#include "base/time.h"

namespace shopbell::engine {

using Zone = const std::chrono::time_zone*;
using LocalTime = std::chrono::local_time<std::chrono::microseconds>;

// Returns the first of the two zones that exists; else UTC.
Zone zone_of(std::string_view name, std::string_view fallback);

LocalTime local_of(Zone zone, Instant instant);
Date local_date(Zone zone, Instant instant);

// A local time that a change of the clock skips becomes the first valid time after it. A local time
// that occurs twice is the first of the two.
Instant instant_of(Zone zone, LocalTime local);

// Days of the week: bit 0 is Monday. No bit set: every day.
using Weekdays = unsigned;
bool includes(Weekdays days, std::chrono::weekday day);

// Returns the first instant after `after` at which the local time of day is `at`, on one of the
// days.
Instant next_local(Zone zone, std::chrono::minutes at, Weekdays days, Instant after);

// Adds a duration. Months and days keep the local time of day; hours, minutes and seconds are
// exact. The day is at most the last one of its month.
Instant plus(Zone zone, Instant instant, const Duration& duration);
Date plus(Date date, const Duration& duration);

// Returns the first anniversary of `date` on or after `from`. Someone born on 29 February has it on
// 28 February in other years.
Date next_anniversary(Date date, Date from);

// Returns a duration of whole days, rounded down; nullopt for more than 100 years.
std::optional<Duration> duration_of_days(Decimal days);

// Parses "09:30".
std::optional<std::chrono::minutes> parse_clock(std::string_view text);

}  // namespace shopbell::engine
