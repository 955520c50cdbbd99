// Reports: counts by day, week or month. Lists the reports, the groups and filters that each one
// supports, and the longest time they may cover.
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
  std::vector<std::string> groups;   // values of `groupBy` that the report supports
  std::vector<std::string> filters;  // filters that the report supports
  std::vector<std::string> scopes;   // scopes that the report requires
  bool of_events = false;            // counts events, which are stored for a limited time
};

const std::vector<ReportKind>& report_kinds();
// Returns null for an unknown name.
const ReportKind* find_report(std::string_view name);

struct Granularity {
  std::string_view name;
  std::chrono::days longest;  // longest range from `from` to `to`; it limits the rows
};
inline constexpr Granularity kGranularities[]{{"day", std::chrono::days{366}},
                                              {"week", std::chrono::days{1830}},
                                              {"month", std::chrono::days{3660}}};

// True for "2026-10-25" or "2026-10-25T00:00:00Z".
bool is_day_or_instant(std::string_view text);

// Checks `groupBy` and the time range of a requested report. Skips members that could not be read.
void check_report(json::Reading& reading, const Export& request, Instant now);

}  // namespace shopbell::exports
