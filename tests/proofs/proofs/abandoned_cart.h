// Parts of the proof abandoned-cart: the comparison of the carts' ledger with what the workflow
// did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pg/script.h"
#include "tests/proofs/actors/cart_load.h"
#include "tests/proofs/actors/server_clock.h"

namespace shopbell::proofs {

struct CartFigures {
  std::int64_t reminders = 0;  // sent
  std::int64_t offers = 0;     // sent
  std::int64_t coupons = 0;    // claimed and not released
  // Carts whose purchase was acknowledged before the timer of the reminder.
  std::int64_t bought_in_time = 0;
  // Purchases within 0.1 s of the timer of the reminder: without a reminder, and with one.
  std::int64_t close_without = 0;
  std::int64_t close_with = 0;
  std::int64_t withdrawn = 0;   // messages that were planned and dropped before they were sent
  std::int64_t superseded = 0;  // reminders of carts that were changed afterwards

  // All of these must be 0.
  std::int64_t stuck = 0;             // runs that are left, and messages without an outcome
  std::int64_t lost_writes = 0;       // acknowledged writes without their event
  std::int64_t doubled_writes = 0;    // writes with several events
  std::int64_t runs_missing = 0;      // carts without a run
  std::int64_t runs_doubled = 0;      // carts with several runs
  std::int64_t missing_messages = 0;  // carts that were not bought, without reminder or offer
  std::int64_t doubled_messages = 0;
  std::int64_t unwanted_messages = 0;  // sent though the purchase came before the timer
  std::int64_t old_contents = 0;  // messages that ignore a change acknowledged before the timer
  std::int64_t wrong_coupons = 0;
  std::vector<std::string> examples;

  bool exact() const {
    return stuck == 0 && lost_writes == 0 && doubled_writes == 0 && runs_missing == 0 &&
           runs_doubled == 0 && missing_messages == 0 && doubled_messages == 0 &&
           unwanted_messages == 0 && old_contents == 0 && wrong_coupons == 0;
  }
};

// The definition of the workflow. Its event nodes tell the contents of the messages after them.
std::string cart_workflow(const CartPlan& plan);

CartFigures compare_carts(const CartLoad& load, const ServerClock& clock, const CartPlan& plan,
                          pg::Script& database);

}  // namespace shopbell::proofs
