// Redemptions: the coupon codes that a purchase uses. They are read, decided and committed together
// with the purchase.
//
//   coupons::read_redeemable(reads, account, purchase_id, codes);       // two results
//   const auto redeemable = coupons::found_redeemable(results, codes);  // of those two
//   const auto used = coupons::redeem(effect, buyer, redeemable);       // adds the events too
//
// To replace a purchase, redeem again with its new codes; to delete or cancel it, with no codes.
// This undoes redemptions of codes that the purchase no longer uses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "events/event.h"
#include "pg/group.h"
#include "pg/result.h"

namespace shopbell::coupons {

// A code as read from the database.
struct Redeemable {
  std::string code_key;
  std::string code;
  Uuid set;
  std::string set_alias;
  bool shared = false;
  bool redeemed = false;      // true if any purchase has used the code
  std::optional<Uuid> claim;  // set with `contact` and `run` if the code was assigned
  std::optional<Uuid> contact;
  std::optional<Uuid> run;
};

struct Redeemables {
  std::vector<Redeemable> codes;       // the sent codes that exist in some set, in order
  std::vector<std::string> used_keys;  // keys of the codes that the stored purchase uses
};

// The purchase that redeems codes, and its buyer.
struct Redeeming {
  std::int64_t account = 0;
  Uuid purchase;                // the service's id, not the store's
  std::optional<Uuid> contact;  // nullopt: the purchase has no contact
  std::int16_t lane = 0;        // lane of the contact; without one, of the purchase
  Instant at;                   // when the purchase was made
  Instant now;
  events::Trigger trigger = events::Trigger::all;
};

// A code that the purchase newly redeems.
struct Redemption {
  std::string code;
  std::string set_alias;
  bool by_other = false;  // the code was assigned to another contact
};

void read_redeemable(pg::Group& reads, std::int64_t account, const Uuid& purchase,
                     const std::vector<std::string>& codes);
// `results` are the two results that read_redeemable() adds.
Redeemables found_redeemable(std::span<const pg::Result> results,
                             const std::vector<std::string>& codes);

// Adds guarded writes, and the events of new redemptions. They raise a conflict (SB001) when a code
// was assigned or redeemed concurrently. A unique code that another purchase has redeemed is
// skipped; so is a code that no set has.
std::vector<Redemption> redeem(pg::Group& effect, const Redeeming& buyer, const Redeemables& found);

}  // namespace shopbell::coupons
