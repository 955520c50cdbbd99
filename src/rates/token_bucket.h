// TokenBucket: one process's view of a bucket that all processes share. Own use is deducted at
// once; the use of others is estimated between two exchanges, and corrected at each one. Together
// they grant the bucket's rate. Not thread-safe; RateLimits locks it.
#pragma once

#include <cstdint>
#include <span>

#include "base/limits.h"
#include "runtime/wait.h"

namespace shopbell::rates {

using runtime::Steady;

struct Rate {
  std::int64_t per_second = limits::kRatePerSecond;
  std::int64_t burst = limits::kRateBurst;

  bool operator==(const Rate&) const = default;
};

// The outcome of a request, as the rate limit headers show it.
struct Allowance {
  bool granted = true;
  std::int64_t remaining = 0;
  std::int64_t reset_seconds = 0;  // until the bucket is full again, without further requests
  std::int64_t retry_seconds = 0;  // until the next request is granted; 0 if this one was
};

// The use of the bucket by one other process since the last exchange.
struct OtherUse {
  std::int64_t used = 0;         // tokens granted
  double wanted_per_second = 0;  // granted and refused; 0 once the process is silent
  double left = 0;               // tokens of the whole bucket, as that process sees it
};

class TokenBucket {
 public:
  // The bucket starts full.
  TokenBucket(Rate rate, Steady::time_point now);

  // A new rate takes effect at once; earlier use is kept. A full bucket grants more than a burst,
  // as a debt: such a request could never succeed otherwise.
  Allowance take(Rate rate, Steady::time_point now, std::int64_t amount = 1);
  // Undoes the last take().
  Allowance give_back();
  // Takes one token even if there is none; the debt is at most one burst.
  void charge(Steady::time_point now);
  // Returns the allowance without taking a token.
  Allowance look(Rate rate, Steady::time_point now);

  // `others` are all other processes, including those silent for less than a minute.
  void learn(std::span<const OtherUse> others, Steady::time_point now);

  // Sums since process start. They only grow, even if the bucket is evicted and recreated.
  std::int64_t used() const { return used_; }
  std::int64_t wanted() const { return wanted_; }
  std::int64_t first() const { return first_; }  // start value of used() and wanted()
  double left() const { return left_; }          // tokens of the whole bucket at the last exchange

  Steady::time_point wanted_at() const { return wanted_at_; }
  bool is_full(Steady::time_point now);

 private:
  void refill(Steady::time_point now);
  void adopt(Rate rate, Steady::time_point now);
  Allowance allowance(bool granted, double needed = 1) const;

  Rate rate_;
  double tokens_;  // tokens that this process may grant now
  Steady::time_point refilled_at_;
  // The expected use by the others: an amount at once, and a rate.
  double reserved_ = 0;
  double expected_per_second_ = 0;
  Steady::time_point learnt_at_;
  double overflow_ = 0;  // refill beyond the burst since learnt_at_: counts if others used tokens
  double left_;
  std::int64_t first_;
  std::int64_t used_;
  std::int64_t wanted_;
  Steady::time_point wanted_at_;
};

}  // namespace shopbell::rates
