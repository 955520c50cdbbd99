#include "engine/local_time.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace shopbell::engine {

namespace {

using std::chrono::days;
using std::chrono::local_days;
using std::chrono::months;

// The IANA zone; null if there is none of that name.
Zone find_zone(std::string_view name) {
  if (name.empty()) return nullptr;
  try {
    return std::chrono::locate_zone(name);
  } catch (const std::runtime_error&) {  // the only way to ask
    return nullptr;
  }
}

Date end_of_month_if_late(Date date) {
  return date.ok() ? date : Date{date.year() / date.month() / std::chrono::last};
}

}  // namespace

Zone zone_of(std::string_view name, std::string_view fallback) {
  if (const Zone zone = find_zone(name)) return zone;
  if (const Zone zone = find_zone(fallback)) return zone;
  static const Zone utc = std::chrono::locate_zone("UTC");
  return utc;
}

LocalTime local_of(Zone zone, Instant instant) { return zone->to_local(instant); }

Date local_date(Zone zone, Instant instant) {
  return Date{std::chrono::floor<days>(local_of(zone, instant))};
}

Instant instant_of(Zone zone, LocalTime local) {
  const std::chrono::local_info info = zone->get_info(local);
  if (info.result == std::chrono::local_info::nonexistent) return Instant{info.first.end};
  return Instant{local.time_since_epoch() - info.first.offset};
}

bool includes(Weekdays days, std::chrono::weekday day) {
  return days == 0 || (days >> (day.iso_encoding() - 1) & 1U) != 0;
}

Instant next_local(Zone zone, std::chrono::minutes at, Weekdays days, Instant after) {
  local_days day =
      std::chrono::floor<std::chrono::days>(local_of(zone, after)) - std::chrono::days{1};
  // Ten days contain each weekday, also beside a day that a zone has skipped.
  for (int i = 0; i < 10; ++i, day += std::chrono::days{1}) {
    if (!includes(days, std::chrono::weekday{day})) continue;
    const Instant instant = instant_of(zone, LocalTime{day} + at);
    if (instant > after) return instant;
  }
  throw std::logic_error{"no such local time within ten days"};
}

Instant plus(Zone zone, Instant instant, const Duration& duration) {
  const std::int64_t sign = duration.negative ? -1 : 1;
  if (duration.months != 0 || duration.days != 0) {
    const LocalTime local = local_of(zone, instant);
    const local_days day = std::chrono::floor<days>(local);
    Duration calendar = duration;
    calendar.seconds = 0;
    const Date moved = plus(Date{day}, calendar);
    instant = instant_of(zone, LocalTime{local_days{moved}} + (local - day));
  }
  return instant + std::chrono::seconds{sign * duration.seconds};
}

Date plus(Date date, const Duration& duration) {
  const int sign = duration.negative ? -1 : 1;
  const Date moved = end_of_month_if_late(date + months{sign * static_cast<int>(duration.months)});
  return Date{local_days{moved} + days{sign * duration.days}};
}

Date next_anniversary(Date date, Date from) {
  const Date this_year = end_of_month_if_late(from.year() / date.month() / date.day());
  if (this_year >= from) return this_year;
  return end_of_month_if_late((from.year() + std::chrono::years{1}) / date.month() / date.day());
}

std::optional<Duration> duration_of_days(Decimal days) {
  const Decimal most = Decimal::from_integer(36'600);
  if (days > most || days < Decimal::from_integer(-36'600)) return std::nullopt;
  std::int64_t whole = std::stoll(days.to_string());  // stops at the decimal point
  if (days.is_negative() && Decimal::from_integer(whole) != days) --whole;
  return Duration{.negative = whole < 0, .days = std::abs(whole)};
}

std::optional<std::chrono::minutes> parse_clock(std::string_view text) {
  const auto digit = [&](std::size_t at) { return text[at] - '0'; };
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const std::size_t at : {0U, 1U, 3U, 4U})
    if (digit(at) < 0 || digit(at) > 9) return std::nullopt;
  const int hours = digit(0) * 10 + digit(1);
  const int minutes = digit(3) * 10 + digit(4);
  if (hours > 23 || minutes > 59) return std::nullopt;
  return std::chrono::minutes{hours * 60 + minutes};
}

}  // namespace shopbell::engine
