#include "rates/token_bucket.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace shopbell::rates {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kRounding = 1e-6;  // in tokens; rounding errors of sums are smaller
constexpr double kLookAhead = Seconds{limits::kExchangeInterval}.count();

// The part of the difference to the others' view that is adopted at each exchange. Otherwise views
// that started apart (a process joined with a full bucket) would stay apart, and the process that
// sees the least would starve. With a larger part, views of different ages would distort the sum.
constexpr double kAgreement = 0.1;

std::int64_t whole_up(double number) {
  return static_cast<std::int64_t>(std::ceil(number - kRounding));
}

// The others' share of `available`: those that want much get equal shares, those that want less get
// what they want. This process counts as one that wants much, because it may at any moment.
double share_of_others(std::vector<double> wanted, double available) {
  std::ranges::sort(wanted);
  double taken = 0;
  auto unserved = static_cast<double>(wanted.size());
  for (const double one : wanted) {
    const double each = (available - taken) / (unserved + 1);
    if (one > each) return taken + unserved * each;
    taken += one;
    --unserved;
  }
  return taken;
}

}  // namespace

TokenBucket::TokenBucket(Rate rate, Steady::time_point now)
    : rate_{rate},
      tokens_{static_cast<double>(rate.burst)},
      refilled_at_{now},
      learnt_at_{now},
      left_{tokens_},
      // Time grows faster than any bucket is used, so a recreated bucket starts above the old sum.
      first_{std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count()},
      used_{first_},
      wanted_{first_},
      wanted_at_{now} {}

Allowance TokenBucket::take(Rate rate, Steady::time_point now, std::int64_t amount) {
  adopt(rate, now);
  wanted_ += amount;
  wanted_at_ = std::max(wanted_at_, now);
  const auto needed = static_cast<double>(std::min(amount, rate.burst));
  if (tokens_ < needed - kRounding) return allowance(false, needed);
  tokens_ -= static_cast<double>(amount);
  used_ += amount;
  return allowance(true);
}

Allowance TokenBucket::give_back() {
  tokens_ = std::min(tokens_ + 1, static_cast<double>(rate_.burst));
  --used_;
  --wanted_;
  return allowance(true);
}

void TokenBucket::charge(Steady::time_point now) {
  refill(now);
  tokens_ = std::max(tokens_ - 1, -static_cast<double>(rate_.burst));
  wanted_at_ = std::max(wanted_at_, now);
}

Allowance TokenBucket::look(Rate rate, Steady::time_point now) {
  adopt(rate, now);
  return allowance(tokens_ >= 1 - kRounding);
}

void TokenBucket::learn(std::span<const OtherUse> others, Steady::time_point now) {
  refill(now);
  const auto rate = static_cast<double>(rate_.per_second);
  const auto burst = static_cast<double>(rate_.burst);
  double used = 0;
  double left = 0;
  std::vector<double> wanted;
  for (const auto& other : others) {
    used += static_cast<double>(other.used);
    if (other.wanted_per_second <= 0) continue;
    wanted.push_back(other.wanted_per_second);
    left += other.left;
  }
  const double expected = reserved_ + expected_per_second_ * Seconds{now - learnt_at_}.count();
  left_ = tokens_ + overflow_ + expected - used;
  const auto active = static_cast<double>(wanted.size());
  if (!wanted.empty()) left_ += kAgreement * (left / active - left_);
  // The others can have granted this much before their first report; a deeper debt is an error.
  const double deepest =
      -(burst + rate * kLookAhead) * std::max(1.0, static_cast<double>(others.size()));
  left_ = std::clamp(left_, deepest, burst);

  const double theirs =
      share_of_others(std::move(wanted), std::max(0.0, left_ + rate * kLookAhead));
  expected_per_second_ = std::min(theirs / kLookAhead, rate * active / (active + 1));
  reserved_ = theirs - expected_per_second_ * kLookAhead;
  tokens_ = left_ - reserved_;
  overflow_ = 0;
  learnt_at_ = now;
}

bool TokenBucket::is_full(Steady::time_point now) {
  refill(now);
  return tokens_ >= static_cast<double>(rate_.burst) - kRounding;
}

void TokenBucket::refill(Steady::time_point now) {
  if (now <= refilled_at_) return;  // another loop read the clock a moment later
  tokens_ += (static_cast<double>(rate_.per_second) - expected_per_second_) *
             Seconds{now - refilled_at_}.count();
  refilled_at_ = now;
  const double over = tokens_ - static_cast<double>(rate_.burst);
  if (over <= 0) return;
  tokens_ -= over;
  overflow_ += over;
}

void TokenBucket::adopt(Rate rate, Steady::time_point now) {
  refill(now);
  if (rate == rate_) return;
  reserved_ += expected_per_second_ * Seconds{now - learnt_at_}.count();
  learnt_at_ = now;
  expected_per_second_ *=
      static_cast<double>(rate.per_second) / static_cast<double>(rate_.per_second);
  tokens_ += static_cast<double>(rate.burst - rate_.burst);
  rate_ = rate;
}

Allowance TokenBucket::allowance(bool granted, double needed) const {
  const auto rate = static_cast<double>(rate_.per_second);
  const auto missing = std::max(0.0, static_cast<double>(rate_.burst) - tokens_);
  return {.granted = granted,
          .remaining = static_cast<std::int64_t>(std::max(0.0, tokens_ + kRounding)),
          .reset_seconds = whole_up(missing / rate),
          .retry_seconds =
              granted ? 0
                      : std::max<std::int64_t>(
                            1, whole_up((needed - tokens_) / (rate - expected_per_second_)))};
}

}  // namespace shopbell::rates
