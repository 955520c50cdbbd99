#include "resources/exports/report.h"

#include <algorithm>
#include <format>

#include "base/limits.h"

namespace shopbell::exports {

namespace {

using json::Reading;

// A day as its midnight in UTC: near enough for how long a time is, and how long ago.
std::optional<Instant> about(std::string_view text) {
  if (const auto day = parse_date(text)) return std::chrono::sys_days{*day};
  return parse_rfc3339(text);
}

void check_groups(Reading& reading, const Export& wish, const ReportKind& kind) {
  const Reading::Place list{reading, "groupBy"};
  for (std::size_t i = 0; i < wish.group_by.size(); ++i) {
    if (std::ranges::contains(kind.groups, wish.group_by[i])) continue;
    const Reading::Place element{reading, std::to_string(i)};
    reading.refuse("not-an-option",
                   std::format("The report {} cannot be parted by this.", kind.name));
  }
}

void check_length(Reading& reading, const Export& wish, Instant from, Instant to) {
  const auto granularity = std::ranges::find(kGranularities, wish.granularity, &Granularity::name);
  if (granularity == std::end(kGranularities)) return;
  // Clocks that are put forward or back make an hour's difference to instants.
  if (to - from <= granularity->longest + std::chrono::hours{1}) return;
  reading.refuse_at(
      "to", "out-of-range",
      std::format("By {}, a report is of {} at most.", granularity->name, granularity->longest));
}

void check_time(Reading& reading, const Export& wish, const ReportKind* kind, Instant now) {
  const auto from = about(wish.from);
  const auto to = about(wish.to);
  if (from && kind != nullptr && kind->of_events && *from < now - limits::kWatermarkValid)
    reading.refuse_at("from", "out-of-range", "Is older than the events that are kept.");
  if (!from || !to) return;
  if (parse_date(wish.from).has_value() != parse_date(wish.to).has_value()) {
    reading.refuse_at("to", "conflicts-with", "Is a day where `from` is one, else an instant.");
  } else if (*from >= *to) {
    reading.refuse_at("to", "conflicts-with", "Must be later than `from`.");
  } else {
    check_length(reading, wish, *from, *to);
  }
}

}  // namespace

const std::vector<ReportKind>& report_kinds() {
  static const std::vector<ReportKind> kinds{
      {.name = "purchases-over-time",
       .groups = {"channel", "paymentMethod", "shippingCountry", "status"},
       .filters = {"status", "currencies", "contact"},
       .scopes = {"purchases:read"}},
      {.name = "products-sold",
       .groups = {"channel", "shippingCountry", "variantId"},
       .filters = {"status", "currencies", "productIds", "contact"},
       .scopes = {"purchases:read", "products:read"}},
      {.name = "contacts-growth", .scopes = {"contacts:read"}, .of_events = true},
      {.name = "events-over-time",
       .groups = {"source"},
       .filters = {"kinds", "contact"},
       .scopes = {"contacts:read"},
       .of_events = true}};
  return kinds;
}

const ReportKind* find_report(std::string_view name) {
  const auto found = std::ranges::find(report_kinds(), name, &ReportKind::name);
  return found == report_kinds().end() ? nullptr : &*found;
}

bool is_day_or_instant(std::string_view text) { return about(text).has_value(); }

void check_report(Reading& reading, const Export& wish, Instant now) {
  const ReportKind* kind = find_report(wish.report);
  if (kind != nullptr) check_groups(reading, wish, *kind);
  check_time(reading, wish, kind, now);
}

}  // namespace shopbell::exports
