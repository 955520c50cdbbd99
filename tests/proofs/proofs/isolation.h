// Part of the isolation proof: requests that time out while all accounts share the connections.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/stage.h"
#include "tests/proofs/actors/tenant.h"

namespace shopbell::proofs {

struct TimedOutWrites {
  std::size_t answered = 0;
  std::size_t timed_out = 0;       // answered with 503
  std::vector<std::string> wrong;  // responses and contacts of another account
};

// Every tenant writes one contact of the same name from several threads, so that writes queue for
// its lock in transactions of their own. Meanwhile backends of PostgreSQL freeze for longer than a
// request may take. A response or a stored contact with another tenant's mark is wrong.
TimedOutWrites write_past_deadlines(const Setting& setting, const Stage& stage,
                                    std::span<const Tenant> tenants);

}  // namespace shopbell::proofs
