// Instants: UTC with microseconds inside, RFC 3339 with milliseconds and Z outside.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace shopbell {

using Instant = std::chrono::sys_time<std::chrono::microseconds>;
using Date = std::chrono::year_month_day;

// "2026-11-15T02:04:25.123Z"
std::string to_rfc3339(Instant instant);
// To the microsecond, as it is stored.
std::string to_rfc3339_exactly(Instant instant);

// As it is shown, so that what was read can be sent back and is still the same.
inline Instant to_milliseconds(Instant instant) {
  return std::chrono::floor<std::chrono::milliseconds>(instant);
}

// RFC 3339 with any offset; nothing for anything else, a leap second or a year outside 0001–9999
// included.
std::optional<Instant> parse_rfc3339(std::string_view text);

// "2026-11-15", a day that exists; nothing for anything else.
std::optional<Date> parse_date(std::string_view text);

// PostgreSQL's ISO output under TimeZone=UTC: "2026-11-15 02:04:25.123456+00".
std::optional<Instant> parse_postgres_time(std::string_view text);

// Where time comes from. The service uses the system's; a test brings its own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

const Clock& system_clock();

}  // namespace shopbell
