// Claims are the only way to assign coupon codes to contacts. The SQL function claim_coupon() is
// idempotent: repeating a claim returns the same code. It never assigns a unique code twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/uuid.h"
#include "pg/group.h"
#include "pg/pool.h"

namespace shopbell::coupons {

struct Claim {
  std::int64_t account = 0;
  Uuid set;
  Uuid contact;
  Uuid id;                  // idempotency key: every attempt of the claim has the same
  std::optional<Uuid> run;  // the workflow run that claims the code
};

struct Claimed {
  enum class Outcome { given, empty, expired, no_set, no_contact };
  Outcome outcome = Outcome::given;
  std::string code;  // empty unless the outcome is `given`
};

// Adds the claim to a group; needs the worker's database role. It raises a conflict (SB001) while
// other claims take the last codes, and while the same claim runs in another process.
void add_claim(pg::Group& effect, const Claim& claim);
Claimed found_claim(const pg::Result& result);

// Claims of one batch of the lanes. Each runs in the transaction of the batch, as the worker role.
struct LaneClaim {
  std::int64_t account = 0;
  std::string set;  // alias or id, as the definition names it
  Uuid contact;
  Uuid id;
  Uuid run;
  bool reuse = false;  // take the contact's last code of the set if it is not redeemed
};
void add_lane_claims(pg::Group& effect, std::span<const LaneClaim> claims);
// The codes in the order of the claims; nullopt: the set has none, or the contact is gone.
std::vector<std::optional<std::string>> found_lane_claims(const pg::Result& result,
                                                          std::size_t count);
// Takes codes back that were not redeemed, so that they can be claimed again.
void add_releases(pg::Group& effect, std::span<const std::pair<std::int64_t, Uuid>> claims);

// Commits the claim in its own transaction and retries conflicts with backoff. When it throws, the
// claim may be committed: repeat it to find out.
boost::asio::awaitable<Claimed> claim_coupon(pg::Pool& database, Claim claim, pg::Scope scope);

}  // namespace shopbell::coupons
