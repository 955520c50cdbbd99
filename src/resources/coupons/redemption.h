// Redemptions: the coupons that a purchase uses. They are part of the purchase's own write: read
// beside what it reads, decided with it, written in its group.
//
//   coupons::read_redeemable(reads, account, purchase_id, codes);       // two results
//   const auto redeemable = coupons::found_redeemable(results, codes);  // of those two
//   const auto used = coupons::redeem(effect, buyer, redeemable);       // and their events
//
// A purchase that is replaced is redeemed again with its new codes, one that is deleted or
// cancelled with none: what it no longer uses is taken back.
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

// A code as it was found.
struct Redeemable {
  std::string code_key;
  std::string code;
  Uuid set;
  std::string set_alias;
  bool shared = false;
  bool redeemed = false;      // by whatever purchase
  std::optional<Uuid> claim;  // who was given it
  std::optional<Uuid> contact;
  std::optional<Uuid> run;
};

struct Redeemables {
  std::vector<Redeemable> codes;       // those of the codes that some set has, in their order
  std::vector<std::string> used_keys;  // what the purchase uses so far
};

// The purchase and its buyer.
struct Redeeming {
  std::int64_t account = 0;
  Uuid purchase;                // its id here
  std::optional<Uuid> contact;  // null: a sale without a person
  std::int16_t lane = 0;        // of the contact, or of the purchase without one
  Instant at;                   // when it was made
  Instant now;
  events::Trigger trigger = events::Trigger::all;
};

// One code that the purchase uses from now on.
struct Redemption {
  std::string code;
  std::string set_alias;
  bool by_other = false;
};

void read_redeemable(pg::Group& reads, std::int64_t account, const Uuid& purchase,
                     const std::vector<std::string>& codes);
// `results` are those of the two reads above.
Redeemables found_redeemable(std::span<const pg::Result> results,
                             const std::vector<std::string>& codes);

// Adds what changes, each guarded, with the events of what is new: refused as overtaken when a code
// was given or used meanwhile. A code of a unique set that another purchase has used is left to
// that one; a code that no set has is nobody's business.
std::vector<Redemption> redeem(pg::Group& effect, const Redeeming& buyer, const Redeemables& found);

}  // namespace shopbell::coupons
