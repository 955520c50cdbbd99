#include "resources/exports/report_parts.h"

#include <format>
#include <stdexcept>

#include "base/time.h"
#include "pg/group.h"
#include "pg/snapshot.h"

namespace shopbell::exports {

namespace {

using pg::Snapshot;

// Replaces zone names that PostgreSQL reads as abbreviations without daylight saving time.
std::string with_summer_time(const std::string& zone) {
  if (zone == "CET" || zone == "MET") return "Europe/Brussels";
  if (zone == "EET") return "Europe/Athens";
  return zone == "WET" ? "Europe/Lisbon" : zone;
}

}  // namespace

Time::Time(const Export& request)
    : zone_{Snapshot::quote(with_summer_time(request.time_zone))},
      unit_{request.granularity},
      from_{instant_of(request.from)},
      to_{instant_of(request.to)} {}

std::string Time::holds(std::string_view at) const {
  return std::format("{0} >= {1} AND {0} < {2}", at, from_, to_);
}

std::string Time::period_of(std::string_view at) const {
  return std::format("date_trunc('{}', {} AT TIME ZONE {})::date", unit_, at, zone_);
}

std::string Time::all() const {
  return std::format(
      "(SELECT s::date AS period FROM generate_series(date_trunc('{0}', {1} AT TIME ZONE {3}), "
      "({2} AT TIME ZONE {3}) - interval '1 microsecond', interval '1 {0}') AS s) AS a",
      unit_, from_, to_, zone_);
}

std::string Time::instant_of(const std::string& text) const {
  if (const auto at = parse_rfc3339(text))
    return Snapshot::quote(*pg::parameter(*at)) + "::timestamptz";
  if (!parse_date(text)) throw std::logic_error{"the time of a report is invalid"};
  // The first instant of the day, even if the clocks are set back over midnight: PostgreSQL takes
  // the later instant of an ambiguous local time.
  return std::format(
      "least(timestamp {0} AT TIME ZONE {1}, (timestamp {0} - interval '1 microsecond') AT TIME "
      "ZONE {1} + interval '1 microsecond')",
      Snapshot::quote(text), zone_);
}

Column plain(const std::string& name) {
  const std::string sql = "r." + Snapshot::quote_name(name);
  return {name, sql, sql, false};
}
Column words(const std::string& name) {
  const std::string sql = "r." + Snapshot::quote_name(name);
  return {name, sql, sql, true};
}

}  // namespace shopbell::exports
