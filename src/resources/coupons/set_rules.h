// What is decided about a coupon set, whoever asks: a request, or an operator at the terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pg/group.h"
#include "pg/result.h"
#include "resources/coupons/coupon_set.h"

namespace shopbell::coupons {

// The set that was asked for, or the Problem that there is none.
CouponSet existing(std::optional<CouponSet> found);

// Throws coupon-set-in-use, with the workflows that use it.
void refuse_used(const CouponSet& set);
// Throws coupon-set-shared.
void refuse_shared(const CouponSet& set);

// What a new set must know, and how it comes to be; throws what stands against it.
void read_new_set(pg::Group& reads, std::int64_t account, const CouponSet& set);
void create_set(pg::Group& effect, std::int64_t account, CouponSet& set,
                std::span<const pg::Result> found, Instant now);

}  // namespace shopbell::coupons
