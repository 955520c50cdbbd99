// Claims: how a contact is given a code of a set. There is no other way: a claim is done by one
// function of the database, which gives the same claim the same code however often it is asked, and
// two claims never the same code of a unique set.
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
  Uuid id;                  // chosen by the claimer, the same for each attempt
  std::optional<Uuid> run;  // of the workflow that gives it
};

struct Claimed {
  enum class Outcome { given, empty, expired, no_set, no_contact };
  Outcome outcome = Outcome::given;
  std::string code;  // when it was given
};

// One statement of a group; refused as overtaken while others take the last codes, and while the
// same claim is under way elsewhere. For the worker's role.
void add_claim(pg::Group& effect, const Claim& claim);
Claimed found_claim(const pg::Result& result);

// A claim on its own, tried again while others stand in its way. When it throws, the claim may have
// happened: asking again tells.
boost::asio::awaitable<Claimed> claim_coupon(pg::Pool& database, Claim claim, pg::Scope scope);

}  // namespace shopbell::coupons
