#include "resources/exports/report.h"

#include <algorithm>
#include <format>

#include "base/limits.h"

namespace shopbell::exports {

namespace {

using json::Reading;

// Reads a day as its midnight in UTC, which is precise enough to check length and age of a range.
std::optional<Instant> approximate_instant(std::string_view text) {
  if (const auto day = parse_date(text)) return std::chrono::sys_days{*day};
  return parse_rfc3339(text);
}

void check_groups(Reading& reading, const Export& request, const ReportKind& kind) {
  const Reading::Place list{reading, "groupBy"};
  for (std::size_t i = 0; i < request.group_by.size(); ++i) {
    if (std::ranges::contains(kind.groups, request.group_by[i])) continue;
    const Reading::Place element{reading, std::to_string(i)};
    reading.refuse("not-an-option",
                   std::format("The report {} cannot be grouped by this.", kind.name));
  }
}

void check_length(Reading& reading, const Export& request, Instant from, Instant to) {
  const auto granularity =
      std::ranges::find(kGranularities, request.granularity, &Granularity::name);
  if (granularity == std::end(kGranularities)) return;
  // Allow one more hour: daylight saving time may make the range longer.
  if (to - from <= granularity->longest + std::chrono::hours{1}) return;
  reading.refuse_at("to", "out-of-range",
                    std::format("A report by {} covers at most {} days.", granularity->name,
                                granularity->longest.count()));
}

void check_time(Reading& reading, const Export& request, const ReportKind* kind, Instant now) {
  const auto from = approximate_instant(request.from);
  const auto to = approximate_instant(request.to);
  if (from && kind != nullptr && kind->of_events && *from < now - limits::kWatermarkValid)
    reading.refuse_at("from", "out-of-range", "Is older than the stored events.");
  if (!from || !to) return;
  if (parse_date(request.from).has_value() != parse_date(request.to).has_value()) {
    reading.refuse_at("to", "conflicts-with", "Must be a day if `from` is a day, else a time.");
  } else if (*from >= *to) {
    reading.refuse_at("to", "conflicts-with", "Must be later than `from`.");
  } else {
    check_length(reading, request, *from, *to);
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
       .of_events = true},
      {.name = "workflow-performance", .scopes = {"workflows:read"}, .of_events = true},
      {.name = "coupon-usage", .filters = {"couponSet"}, .scopes = {"coupon-sets:read"}}};
  return kinds;
}

const ReportKind* find_report(std::string_view name) {
  const auto found = std::ranges::find(report_kinds(), name, &ReportKind::name);
  return found == report_kinds().end() ? nullptr : &*found;
}

bool is_day_or_instant(std::string_view text) { return approximate_instant(text).has_value(); }

void check_report(Reading& reading, const Export& request, Instant now) {
  const ReportKind* kind = find_report(request.report);
  if (kind != nullptr) check_groups(reading, request, *kind);
  check_time(reading, request, kind, now);
}

}  // namespace shopbell::exports
