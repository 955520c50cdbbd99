// Reports: what a store did, counted day by day, week by week or month by month. Which there are,
// what each can be parted and filtered by, and over how long a time.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "json/reading.h"
#include "resources/exports/export.h"

namespace shopbell::exports {

struct ReportKind {
  std::string name;
  std::vector<std::string> groups;   // what its rows can be parted by
  std::vector<std::string> filters;  // which of all filters it has
  std::vector<std::string> scopes;   // to read what it counts
  bool of_events = false;            // which are kept for a while only
};

const std::vector<ReportKind>& report_kinds();
// Nothing for a name that is none.
const ReportKind* find_report(std::string_view name);

struct Granularity {
  std::string_view name;
  std::chrono::days longest;  // from `from` to `to`: a report stays one that can be looked at
};
inline constexpr Granularity kGranularities[]{{"day", std::chrono::days{366}},
                                              {"week", std::chrono::days{1830}},
                                              {"month", std::chrono::days{3660}}};

// "2026-10-25" or "2026-10-25T00:00:00Z".
bool is_day_or_instant(std::string_view text);

// The rules between the members of a report that is asked for: what it can be parted by, and its
// time. What could not be read is left out of them.
void check_report(json::Reading& reading, const Export& wish, Instant now);

}  // namespace shopbell::exports
