// The rules for creating, changing and deleting coupon sets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pg/group.h"
#include "pg/result.h"
#include "resources/coupons/coupon_set.h"

namespace shopbell::coupons {

// Returns the set; throws not-found when there is none.
CouponSet existing(std::optional<CouponSet> found);

// Throws coupon-set-in-use, with the workflows, when a workflow uses the set.
void refuse_used(const CouponSet& set);
// Throws coupon-set-shared when the set is shared.
void refuse_shared(const CouponSet& set);

// Reads the alias, the number of sets and the code, for create_set(). create_set() throws the
// Problem when alias or code is taken or the limit is reached; else it adds the inserts.
void read_new_set(pg::Group& reads, std::int64_t account, const CouponSet& set);
void create_set(pg::Group& effect, std::int64_t account, CouponSet& set,
                std::span<const pg::Result> found, Instant now);

}  // namespace shopbell::coupons
