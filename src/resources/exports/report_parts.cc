#include "resources/exports/report_parts.h"

#include <format>
#include <stdexcept>

#include "base/time.h"
#include "pg/snapshot.h"
#include "resources/exports/conditions.h"
#include "resources/exports/statements.h"

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
  return pg::fill(sql::period_of, {{"unit", unit_}, {"at", std::string{at}}, {"zone", zone_}});
}

std::string Time::all() const {
  return pg::fill(sql::periods,
                  {{"unit", unit_}, {"from", from_}, {"to", to_}, {"zone", zone_}});
}

std::string Time::instant_of(const std::string& text) const {
  if (const auto at = parse_rfc3339(text)) return quoted_instant(*at);
  if (!parse_date(text)) throw std::logic_error{"the time of a report is invalid"};
  return pg::fill(sql::start_of_day, {{"day", Snapshot::quote(text)}, {"zone", zone_}});
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
