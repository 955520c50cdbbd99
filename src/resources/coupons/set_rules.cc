#include "resources/coupons/set_rules.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "resources/coupons/coupon_json.h"
#include "resources/coupons/coupon_store.h"

namespace shopbell::coupons {

CouponSet existing(std::optional<CouponSet> found) {
  if (!found) throw Problem{Code::not_found, "There is no coupon set with this id or alias."};
  return std::move(*found);
}

void refuse_used(const CouponSet& set) {
  if (set.used_in_workflows.empty()) return;
  throw Problem{Code::coupon_set_in_use,
                std::format("{} workflows use the coupon set {}; see usedBy.",
                            set.used_in_workflows.size(), set.alias)}
      .with_member("usedBy", uses_to_json(set.used_in_workflows));
}

void refuse_shared(const CouponSet& set) {
  if (set.is_shared())
    throw Problem{
        Code::coupon_set_shared,
        std::format("{} is a shared set. Codes can be added to unique sets only.", set.alias)};
}

void read_new_set(pg::Group& reads, std::int64_t account, const CouponSet& set) {
  read_set(reads, account, set.alias);
  read_set_count(reads, account);
  read_codes(reads, account, set.code ? std::vector{*set.code} : std::vector<std::string>{});
}

void create_set(pg::Group& effect, std::int64_t account, CouponSet& set,
                std::span<const pg::Result> found, Instant now) {
  if (found_set(found[0]))
    throw Problem{Code::alias_taken,
                  std::format("Another coupon set has the alias {}.", set.alias)};
  if (found_set_count(found[1]) >= limits::kCouponSets)
    throw Problem{Code::limit_reached,
                  std::format("An account has at most {} coupon sets.", limits::kCouponSets)};
  if (const auto there = found_codes(found[2]); !there.empty())
    throw Problem{Code::coupon_code_taken,
                  std::format("The coupon set {} already has this code.", there.begin()->second)};
  set.id = Uuid::v7(now);
  set.created_at = set.updated_at = now;
  if (!set.is_shared()) set.total = set.available = 0;
  insert_set(effect, account, set);
}

}  // namespace shopbell::coupons
