#include "resources/coupons/coupon_store.h"

#include <format>
#include <ranges>

#include "base/limits.h"
#include "base/problem.h"
#include "events/event.h"
#include "resources/coupons/coupon_json.h"
#include "resources/coupons/queries.h"

namespace shopbell::coupons {

namespace {

CouponSet set_of(const pg::Row& row) {
  CouponSet set{.id = row.uuid("coupon_set_id"),
                .alias = row.text("alias"),
                .name = row.text("name"),
                .kind = row.text("kind"),
                .code = row.maybe_text("code"),
                .assigned = row.integer("assigned"),
                .redeemed = row.integer("redeemed"),
                .valid_from = row.maybe_instant("valid_from"),
                .expires_at = row.maybe_instant("expires_at"),
                .low_watermark = row.maybe_integer("low_watermark"),
                .used_in_workflows = uses_from_json(row.view("used_in_workflows")),
                .created_at = row.instant("created_at"),
                .updated_at = row.instant("updated_at"),
                .version = row.integer("version")};
  if (set.is_shared()) return set;
  set.total = row.integer("total");
  set.available = row.integer("available");
  return set;
}

CouponCode code_of(const pg::Row& row) {
  CouponCode code{.code = row.text("code"),
                  .contact_id = row.maybe_text("contact_id"),
                  .assigned_at = row.maybe_instant("claimed_at"),
                  .redeemed_at = row.maybe_instant("redeemed_at"),
                  .added_at = row.instant("added_at"),
                  .number = row.integer("number")};
  code.state = row.boolean("redeemed")   ? "redeemed"
               : row.boolean("assigned") ? "assigned"
                                         : "available";
  if (row.find("by_other")) code.by_other = row.boolean("by_other");
  return code;
}

void insert_codes(pg::Group& effect, std::int64_t account, const CouponSet& set,
                  const std::vector<std::string>& codes, Instant now) {
  const auto keys = codes | std::views::transform(code_key) | std::ranges::to<std::vector>();
  effect.add(sql::delete_ownerless_codes, account, keys);
  effect.add(sql::insert_codes, account, set.id, keys, codes, set.is_shared(), now);
}

}  // namespace

void read_set(pg::Group& reads, std::int64_t account, const std::string& name) {
  reads.add(sql::get_coupon_set, account, name, Uuid::parse(name));
}

std::optional<CouponSet> found_set(const pg::Result& result) {
  return result.first().transform(set_of);
}

void read_set_count(pg::Group& reads, std::int64_t account) {
  reads.add(sql::count_coupon_sets, account);
}

std::int64_t found_set_count(const pg::Result& result) { return result[0].integer("sets"); }

void read_codes(pg::Group& reads, std::int64_t account, const std::vector<std::string>& codes) {
  reads.add(sql::find_codes, account,
            codes | std::views::transform(code_key) | std::ranges::to<std::vector>());
}

std::map<std::string, std::string> found_codes(const pg::Result& result) {
  std::map<std::string, std::string> sets;
  for (std::size_t i = 0; i < result.size(); ++i)
    sets.emplace(result[i].text("code_key"), result[i].text("alias"));
  return sets;
}

void insert_set(pg::Group& effect, std::int64_t account, const CouponSet& set) {
  effect.add(sql::lock_store, account);  // serializes concurrent creates: the limit is exact
  effect.add(sql::require_room_for_coupon_set, account, limits::kCouponSets);
  effect.add(sql::insert_coupon_set, account, set.id, events::lane_of(account, set.id), set.alias,
             set.name, set.kind, set.code, set.valid_from, set.expires_at, set.low_watermark,
             set.created_at);
  if (set.code) insert_codes(effect, account, set, {*set.code}, set.created_at);
}

void update_set(pg::Group& effect, std::int64_t account, const CouponSet& set) {
  effect.add(sql::update_coupon_set, account, set.id, set.version, set.name, set.valid_from,
             set.expires_at, set.low_watermark, set.updated_at);
  effect.add(sql::end_low, account, set.id);
}

void delete_set(pg::Group& effect, std::int64_t account, const CouponSet& set) {
  effect.add(sql::delete_coupon_set, account, set.id, set.version);
}

CodesAdded add_codes(pg::Group& effect, std::int64_t account, const CouponSet& set,
                     const std::vector<std::string>& codes,
                     const std::map<std::string, std::string>& there, Instant now) {
  CodesAdded result;
  std::map<std::string, std::string> known = there;
  std::vector<std::string> fresh;
  for (const auto& code : codes) {
    const auto [found, is_new] = known.emplace(code_key(code), set.alias);
    if (is_new) {
      fresh.push_back(code);
    } else {
      result.duplicates.push_back({code, found->second});
    }
  }
  result.added = std::ssize(fresh);
  if (fresh.empty()) return result;
  if (set.total.value_or(0) + result.added > limits::kCouponsPerSet)
    throw Problem{Code::limit_reached,
                  std::format("A set has at most {} codes.", limits::kCouponsPerSet)};
  insert_codes(effect, account, set, fresh, now);
  effect.add(sql::count_added_codes, account, set.id, result.added);
  effect.add(sql::end_low, account, set.id);
  return result;
}

boost::asio::awaitable<std::vector<CouponSet>> list_sets(pg::Pool& database, pg::Scope scope,
                                                         std::optional<std::string> after,
                                                         bool ascending, std::int64_t limit) {
  const pg::Result found = co_await database.query(
      scope, ascending ? sql::list_oldest_coupon_sets : sql::list_newest_coupon_sets,
      *scope.account, after, limit);
  co_return found.map(set_of);
}

boost::asio::awaitable<std::vector<CouponCode>> list_codes(pg::Pool& database, pg::Scope scope,
                                                           Uuid set,
                                                           std::optional<std::string> after,
                                                           bool ascending, std::int64_t limit) {
  const pg::Result found =
      co_await database.query(scope, ascending ? sql::list_oldest_codes : sql::list_newest_codes,
                              *scope.account, set, after, limit);
  co_return found.map(code_of);
}

void move_coupons(pg::Group& effect, std::int64_t account, const Uuid& from, const Uuid& into) {
  effect.add(sql::move_claims, account, from, into);
  effect.add(sql::move_redemptions, account, from, into);
}

}  // namespace shopbell::coupons
