// TokenBucket: one process's view of a bucket that all processes draw from. Own use is deducted at
// once; the others' is expected between two exchanges, and made good when it is learnt. What all of
// them grant together comes out at the bucket's rate. Not thread-safe; RateLimits locks around it.
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

// What became of a request, as the headers say it.
struct Allowance {
  bool granted = true;
  std::int64_t remaining = 0;
  std::int64_t reset_seconds = 0;  // until the bucket is full again if nobody asks
  std::int64_t retry_seconds = 0;  // until the next request is granted; nothing if this one was
};

// What one other process did with the bucket since the last exchange.
struct OtherUse {
  std::int64_t used = 0;         // granted
  double wanted_per_second = 0;  // granted and refused; nothing when it has fallen silent
  double left = 0;               // its view of the whole bucket
};

class TokenBucket {
 public:
  // Full.
  TokenBucket(Rate rate, Steady::time_point now);

  // Another rate than before takes effect at once; what was used stays used. More than a burst is
  // granted to a full bucket, as a debt: nobody would ever get it otherwise.
  Allowance take(Rate rate, Steady::time_point now, std::int64_t amount = 1);
  // As if the last take() had not been.
  Allowance give_back();
  // Takes one whether or not it is there; a debt is at most a burst.
  void charge(Steady::time_point now);
  // What take() would find.
  Allowance look(Rate rate, Steady::time_point now);

  // All others, those silent for less than a minute included.
  void learn(std::span<const OtherUse> others, Steady::time_point now);

  // Since ever in this process: they only grow, even when the bucket is forgotten and made anew.
  std::int64_t used() const { return used_; }
  std::int64_t wanted() const { return wanted_; }
  std::int64_t first() const { return first_; }  // where both started
  double left() const { return left_; }          // of the whole bucket at the last exchange

  Steady::time_point wanted_at() const { return wanted_at_; }
  bool is_full(Steady::time_point now);

 private:
  void refill(Steady::time_point now);
  void adopt(Rate rate, Steady::time_point now);
  Allowance allowance(bool granted, double needed = 1) const;

  Rate rate_;
  double tokens_;  // what this process may grant right now
  Steady::time_point refilled_at_;
  // What the others are expected to take: so much at once, so much per second.
  double reserved_ = 0;
  double expected_per_second_ = 0;
  Steady::time_point learnt_at_;
  double spilt_ = 0;  // refilled over the brim since then: perhaps another process made room for it
  double left_;
  std::int64_t first_;
  std::int64_t used_;
  std::int64_t wanted_;
  Steady::time_point wanted_at_;
};

}  // namespace shopbell::rates
