// Claims are the only way to assign coupon codes to contacts. The SQL function claim_coupon() is
// idempotent: repeating a claim returns the same code. It never assigns a unique code twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/uuid.h"
#include "pg/group.h"
#include "pg/result.h"

namespace shopbell::coupons {

// A claim of a workflow's run. Those of one batch of the lanes run in the batch's transaction, as
// the worker role. A claim raises a conflict (SB001) while other claims take the last codes of its
// set.
struct LaneClaim {
  std::int64_t account = 0;
  std::string set;  // alias or id, as the definition names it
  Uuid contact;
  Uuid id;  // idempotency key: every attempt of the claim has the same
  Uuid run;
  Uuid workflow;
  std::string node;
  bool reuse = false;  // take the contact's last code of the set if it is not redeemed
};
void add_lane_claims(pg::Group& effect, std::span<const LaneClaim> claims);
// The codes in the order of the claims; nullopt: the set has none, or the contact is gone.
std::vector<std::optional<std::string>> found_lane_claims(const pg::Result& result,
                                                          std::size_t count);
// Takes codes back that were not redeemed, so that they can be claimed again.
void add_releases(pg::Group& effect, std::span<const std::pair<std::int64_t, Uuid>> claims);

}  // namespace shopbell::coupons
