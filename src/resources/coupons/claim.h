// Claims are the only way to assign coupon codes to contacts. The SQL function claim_coupon() is
// idempotent: repeating a claim returns the same code. It never assigns a unique code twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

// Commits the claim in its own transaction and retries conflicts with backoff. When it throws, the
// claim may be committed: repeat it to find out.
boost::asio::awaitable<Claimed> claim_coupon(pg::Pool& database, Claim claim, pg::Scope scope);

}  // namespace shopbell::coupons
