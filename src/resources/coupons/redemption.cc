#include "resources/coupons/redemption.h"

#include <algorithm>
#include <ranges>

#include "json/writer.h"
#include "resources/coupons/coupon_set.h"
#include "resources/coupons/queries.h"

namespace shopbell::coupons {

namespace {

std::optional<Uuid> maybe_uuid(const pg::Row& row, const char* column) {
  return row.find(column) ? std::optional{row.uuid(column)} : std::nullopt;
}

Redeemable redeemable_of(const pg::Row& row) {
  return {.code_key = row.text("code_key"),
          .code = row.text("code"),
          .set = row.uuid("coupon_set_id"),
          .set_alias = row.text("alias"),
          .shared = row.boolean("shared"),
          .redeemed = row.boolean("redeemed"),
          .claim = maybe_uuid(row, "claim_id"),
          .contact = maybe_uuid(row, "contact_id"),
          .run = maybe_uuid(row, "run_id")};
}

std::vector<std::string> keys_of(const std::vector<std::string>& codes) {
  std::vector<std::string> keys;
  for (const auto& code : codes) {
    std::string key = code_key(code);
    if (!std::ranges::contains(keys, key)) keys.push_back(std::move(key));
  }
  return keys;
}

events::Event event_of(const Redeeming& buyer, const Redeemable& coupon, bool by_other) {
  json::Writer data;
  data.begin_object();
  data.key("couponSet").text(coupon.set_alias);
  data.key("code").text(coupon.code);
  data.key("runId");
  coupon.run ? data.text(coupon.run->to_string()) : data.null();
  data.key("purchaseId").text(buyer.purchase.to_string());
  data.key("byOther").boolean(by_other);
  data.end();
  return {.uid = Uuid::v7(buyer.now),
          .lane = buyer.lane,
          .contact_id = buyer.contact,
          .kind = "coupon.redeemed",
          .occurred_at = buyer.at,
          .trigger = buyer.trigger,
          .payload = data.finish()};
}

}  // namespace

void read_redeemable(pg::Group& reads, std::int64_t account, const Uuid& purchase,
                     const std::vector<std::string>& codes) {
  reads.add(sql::find_redeemable, account, keys_of(codes));
  reads.add(sql::find_redemptions, account, purchase);
}

Redeemables found_redeemable(std::span<const pg::Result> results,
                             const std::vector<std::string>& codes) {
  Redeemables found;
  for (const auto& key : keys_of(codes)) {
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      if (results[0][i].view("code_key") == key)
        found.codes.push_back(redeemable_of(results[0][i]));
    }
  }
  for (std::size_t i = 0; i < results[1].size(); ++i)
    found.used_keys.push_back(results[1][i].text("code_key"));
  return found;
}

std::vector<Redemption> redeem(pg::Group& effect, const Redeeming& buyer,
                               const Redeemables& found) {
  for (const auto& key : found.used_keys) {
    if (!std::ranges::contains(found.codes, key, &Redeemable::code_key))
      effect.add(sql::delete_redemption, buyer.account, buyer.purchase, key);
  }
  std::vector<Redemption> redemptions;
  // Sort the coupons: all writers lock sets in the same order, so that they cannot deadlock.
  std::vector<Redeemable> coupons = found.codes;
  std::ranges::stable_sort(coupons, {}, &Redeemable::set);
  for (const auto& coupon : coupons) {
    if (coupon.redeemed || std::ranges::contains(found.used_keys, coupon.code_key)) continue;
    const bool by_other = coupon.contact && buyer.contact && *coupon.contact != *buyer.contact;
    effect.add(sql::insert_redemption, buyer.account, buyer.purchase, coupon.code_key, coupon.set,
               buyer.contact, by_other, buyer.at, coupon.claim, coupon.shared);
    events::append(effect, buyer.account, event_of(buyer, coupon, by_other));
    redemptions.push_back({coupon.code, coupon.set_alias, by_other});
  }
  return redemptions;
}

}  // namespace shopbell::coupons
