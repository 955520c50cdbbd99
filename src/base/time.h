// Instants: UTC with microseconds internally, RFC 3339 with milliseconds and Z on the wire.
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
// Writes microseconds, as stored.
std::string to_rfc3339_exactly(Instant instant);

// Truncates to the precision of the wire, so that a client can send back the value that it read.
inline Instant to_milliseconds(Instant instant) {
  return std::chrono::floor<std::chrono::milliseconds>(instant);
}

// RFC 3339 with any offset. Returns nullopt for any other text, for a leap second and for a year
// outside 0001–9999.
std::optional<Instant> parse_rfc3339(std::string_view text);

// "2026-11-15". Returns nullopt for a day that does not exist or any other text.
std::optional<Date> parse_date(std::string_view text);

// PostgreSQL's ISO output under TimeZone=UTC: "2026-11-15 02:04:25.123456+00".
std::optional<Instant> parse_postgres_time(std::string_view text);

// Source of the current time: the system clock in the service, a fake one in tests.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;
};

const Clock& system_clock();

}  // namespace shopbell
