#include "resources/exports/report_parts.h"

#include <format>
#include <stdexcept>

#include "base/text.h"
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
  return pg::fill(sql::periods, {{"unit", unit_}, {"from", from_}, {"to", to_}, {"zone", zone_}});
}

std::string Time::instant_of(const std::string& text) const {
  if (const auto at = parse_rfc3339(text)) return quoted_instant(*at);
  if (!parse_date(text)) throw std::logic_error{"the time of a report is invalid"};
  return pg::fill(sql::start_of_day, {{"day", Snapshot::quote(text)}, {"zone", zone_}});
}

std::string digits_of(std::string_view currency) {
  // Builds the list of exceptions once.
  static const std::string exceptions = [] {
    std::string cases;
    std::string code = "AAA";
    for (code[0] = 'A'; code[0] <= 'Z'; ++code[0])
      for (code[1] = 'A'; code[1] <= 'Z'; ++code[1])
        for (code[2] = 'A'; code[2] <= 'Z'; ++code[2])
          if (const int digits = minor_digits(code); digits != 2)
            cases += std::format(" WHEN '{}' THEN {}", code, digits);
    return cases;
  }();
  return std::format("CASE {}{} ELSE 2 END", currency, exceptions);
}

Column amount(const std::string& name) {
  const std::string sql =
      pg::fill(sql::text_of_amount, {{"amount", "r." + Snapshot::quote_name(name)}});
  return {name, sql, sql, false};
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
