#include "resources/exports/export_rules.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "resources/coupons/coupon_store.h"
#include "resources/exports/export_query.h"
#include "resources/exports/export_store.h"

namespace shopbell::exports {

namespace {

std::vector<std::string> named_fields(const Export& request) {
  std::vector<std::string> ids;
  for (const auto& name : request.columns)
    if (name.starts_with(kOwnFields)) ids.push_back(name.substr(kOwnFields.size()));
  return ids;
}

void check_columns(json::Reading& reading, const Export& request,
                   const std::vector<std::string>& own_fields) {
  const json::Reading::Place columns{reading, "columns"};
  for (std::size_t i = 0; i < request.columns.size(); ++i) {
    const std::string& name = request.columns[i];
    const bool own = request.type == "contacts" && name.starts_with(kOwnFields) &&
                     std::ranges::contains(own_fields, name.substr(kOwnFields.size()));
    if (own || has_column(request, name)) continue;
    const json::Reading::Place column{reading, std::to_string(i)};
    reading.refuse("not-an-option",
                   std::format("An export of {} has no such column.",
                               request.is_report() ? request.report : request.type));
  }
}

// Replaces names in the filters by ids: names can change, and they identify people.
void resolve_filters(json::Reading& reading, Export& request, std::span<const pg::Result> found) {
  if (request.filters.contact) {
    auto id = found_contact(found[0]);
    if (!id) throw Problem{Code::contact_not_found, "There is no contact with this identifier."};
    request.filters.contact = ContactName{.id = std::move(id), .email = {}, .external_id = {}};
  }
  if (request.filters.coupon_set) {
    const auto set = coupons::found_set(found[1]);
    if (set) {
      request.filters.coupon_set = set->id.to_string();
      return;
    }
    const json::Reading::Place filters{reading, "filters"};
    const json::Reading::Place filter{reading, "couponSet"};
    reading.refuse("not-an-option", "There is no coupon set of that id or alias.");
  }
}

void check_moment(json::Reading& reading, const std::optional<Moment>& moment,
                  const std::string& incarnation, Instant now) {
  const json::Reading::Place filters{reading, "filters"};
  const json::Reading::Place filter{reading, "since"};
  if (!moment) {
    reading.refuse("invalid-format", "Is not a watermark of an export of this account.");
  } else if (moment->incarnation != incarnation) {
    reading.refuse(
        "invalid-format",
        "Is from before the database was restored or failed over; start with a full export.");
  } else if (Instant{std::chrono::seconds{moment->taken_s}} < now - limits::kWatermarkValid) {
    reading.refuse("out-of-range", "Is older than the stored events; start with a full export.");
  }
}

}  // namespace

void read_names(pg::Group& reads, std::int64_t account, const Export& request) {
  read_contact(reads, account, request.filters.contact);
  coupons::read_set(reads, account, request.filters.coupon_set.value_or(""));
  read_own_fields(reads, account, named_fields(request));
  read_incarnation(reads);
  read_time_zone(reads, account);
}

void resolve_names(json::Reading& reading, Export& request, std::span<const pg::Result> found,
                   const keyring::Keyring& keyring, std::int64_t account, Instant now) {
  check_columns(reading, request, found_own_fields(found[2]));
  resolve_filters(reading, request, found);
  if (request.is_report() && request.time_zone.empty())
    request.time_zone = found_time_zone(found[4]);
  if (!request.filters.since) return;
  const auto moment = verify_watermark(keyring, account, *request.filters.since);
  check_moment(reading, moment, found_incarnation(found[3]), now);
}

}  // namespace shopbell::exports
