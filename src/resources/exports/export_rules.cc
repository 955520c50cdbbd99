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

std::vector<std::string> named_fields(const Export& wish) {
  std::vector<std::string> ids;
  for (const auto& name : wish.columns)
    if (name.starts_with(kOwnFields)) ids.push_back(name.substr(kOwnFields.size()));
  return ids;
}

void check_columns(json::Reading& reading, const Export& wish,
                   const std::vector<std::string>& own_fields) {
  const json::Reading::Place columns{reading, "columns"};
  for (std::size_t i = 0; i < wish.columns.size(); ++i) {
    const std::string& name = wish.columns[i];
    const bool own = wish.type == "contacts" && name.starts_with(kOwnFields) &&
                     std::ranges::contains(own_fields, name.substr(kOwnFields.size()));
    if (own || has_column(wish, name)) continue;
    const json::Reading::Place column{reading, std::to_string(i)};
    reading.refuse("not-an-option", std::format("An export of {} has no such column.",
                                                wish.is_report() ? wish.report : wish.type));
  }
}

// What was named becomes what it is, by its id: names can change, and say who people are.
void settle_filters(json::Reading& reading, Export& wish, std::span<const pg::Result> found) {
  if (wish.filters.contact) {
    auto id = found_contact(found[0]);
    if (!id) throw Problem{Code::contact_not_found, "There is no such contact."};
    wish.filters.contact = ContactName{.id = std::move(id), .email = {}, .external_id = {}};
  }
  if (wish.filters.coupon_set) {
    const auto set = coupons::found_set(found[1]);
    if (set) {
      wish.filters.coupon_set = set->id.to_string();
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
    reading.refuse("invalid-format", "Is no watermark of an export of this account.");
  } else if (moment->incarnation != incarnation) {
    reading.refuse("invalid-format",
                   "Is of another life of the database: begin with a whole export again.");
  } else if (Instant{std::chrono::seconds{moment->taken_s}} < now - limits::kWatermarkValid) {
    reading.refuse("out-of-range", "Is older than the events that are kept.");
  }
}

}  // namespace

void read_names(pg::Group& reads, std::int64_t account, const Export& wish) {
  read_contact(reads, account, wish.filters.contact);
  coupons::read_set(reads, account, wish.filters.coupon_set.value_or(""));
  read_own_fields(reads, account, named_fields(wish));
  read_incarnation(reads);
  read_time_zone(reads, account);
}

void settle_names(json::Reading& reading, Export& wish, std::span<const pg::Result> found,
                  const keyring::Keyring& keyring, std::int64_t account, Instant now) {
  check_columns(reading, wish, found_own_fields(found[2]));
  settle_filters(reading, wish, found);
  if (wish.is_report() && wish.time_zone.empty()) wish.time_zone = found_time_zone(found[4]);
  if (!wish.filters.since) return;
  const auto moment = verify_watermark(keyring, account, *wish.filters.since);
  check_moment(reading, moment, found_incarnation(found[3]), now);
}

}  // namespace shopbell::exports
