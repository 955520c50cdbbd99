#include "engine/schedule.h"

#include <algorithm>
#include <string>

#include "engine/members.h"

namespace shopbell::engine {

namespace {

using std::chrono::local_days;

Instant at_on(const Schedule& schedule, Zone zone, Date date) {
  return instant_of(zone, LocalTime{local_days{date}} + schedule.at);
}

Instant next_month(const Schedule& schedule, Zone zone, Instant after) {
  const auto wanted =
      std::chrono::day{schedule.on.empty() ? 1U : static_cast<unsigned>(std::stoul(schedule.on))};
  const Date today = local_date(zone, after);
  for (auto month = today.year() / today.month();; month += std::chrono::months{1}) {
    const Date last{month / std::chrono::last};
    const Instant at = at_on(schedule, zone, Date{month / std::min(wanted, last.day())});
    if (at > after) return at;
  }
}

}  // namespace

std::optional<Instant> next_time(const Schedule& schedule, Zone zone, Instant after) {
  if (schedule.every == "week")
    return next_local(zone, schedule.at, weekday_of(schedule.on.empty() ? "mon" : schedule.on),
                      after);
  if (schedule.every == "month") return next_month(schedule, zone, after);
  if (schedule.every == "day") return next_local(zone, schedule.at, 0, after);
  const auto date = parse_date(schedule.on);
  if (!date) return std::nullopt;
  const Instant at = at_on(schedule, zone, *date);
  return at > after ? std::optional{at} : std::nullopt;
}

}  // namespace shopbell::engine
