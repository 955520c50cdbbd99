#include "rates/token_bucket.h"

#include <gtest/gtest.h>

namespace shopbell::rates {
namespace {

using namespace std::chrono_literals;

constexpr Rate kHundred{.per_second = 100, .burst = 200};
constexpr Steady::time_point kNoon{1000s};

int granted(TokenBucket& bucket, Rate rate, Steady::time_point now, int asked) {
  int count = 0;
  for (int i = 0; i < asked; ++i) count += bucket.take(rate, now).granted ? 1 : 0;
  return count;
}

TEST(TokenBucket, grants_a_burst_at_once_and_no_more) {
  TokenBucket bucket{kHundred, kNoon};
  for (int i = 1; i <= 200; ++i) {
    const Allowance allowance = bucket.take(kHundred, kNoon);
    ASSERT_TRUE(allowance.granted) << i;
    EXPECT_EQ(allowance.remaining, 200 - i);
    EXPECT_EQ(allowance.reset_seconds, i <= 100 ? 1 : 2);
    EXPECT_EQ(allowance.retry_seconds, 0);
  }
  const Allowance allowance = bucket.take(kHundred, kNoon);
  EXPECT_FALSE(allowance.granted);
  EXPECT_EQ(allowance.remaining, 0);
  EXPECT_EQ(allowance.reset_seconds, 2);
  EXPECT_EQ(allowance.retry_seconds, 1);
}

TEST(TokenBucket, refills_at_its_rate_up_to_the_burst) {
  TokenBucket bucket{kHundred, kNoon};
  EXPECT_EQ(granted(bucket, kHundred, kNoon, 300), 200);
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 9ms, 10), 0);
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 10ms, 10), 1);
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 510ms, 1000), 50);
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 1h, 1000), 200);
}

TEST(TokenBucket, takes_many_at_once_or_none) {
  TokenBucket bucket{kHundred, kNoon};
  EXPECT_EQ(bucket.take(kHundred, kNoon, 150).remaining, 50);
  const Allowance refused = bucket.take(kHundred, kNoon, 100);
  EXPECT_FALSE(refused.granted);
  EXPECT_EQ(refused.remaining, 50);
  EXPECT_EQ(refused.retry_seconds, 1);
  EXPECT_TRUE(bucket.take(kHundred, kNoon + 1s, 100).granted);
}

TEST(TokenBucket, a_full_bucket_grants_more_than_a_burst_as_a_debt) {
  TokenBucket bucket{kHundred, kNoon};
  EXPECT_TRUE(bucket.take(kHundred, kNoon, 500).granted);
  const Allowance refused = bucket.take(kHundred, kNoon, 500);
  EXPECT_FALSE(refused.granted);
  EXPECT_EQ(refused.retry_seconds, 5);
  EXPECT_FALSE(bucket.take(kHundred, kNoon + 3s).granted);
  EXPECT_TRUE(bucket.take(kHundred, kNoon + 5s, 500).granted);
}

TEST(TokenBucket, requests_at_the_rate_are_never_refused) {
  TokenBucket bucket{kHundred, kNoon};
  for (int i = 0; i < 60'000; ++i)
    ASSERT_TRUE(bucket.take(kHundred, kNoon + i * 10ms).granted) << i;
  EXPECT_EQ(bucket.used() - bucket.first(), 60'000);
}

TEST(TokenBucket, an_earlier_clock_reading_takes_no_tokens) {
  TokenBucket bucket{kHundred, kNoon};
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 10ms, 200), 200);
  EXPECT_EQ(granted(bucket, kHundred, kNoon, 1), 0);
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 20ms, 5), 1);
}

// The time is exact: a second earlier the request is refused.
TEST(TokenBucket, retry_tells_when_the_next_request_is_granted) {
  for (const Rate rate : {kHundred, Rate{1, 1}, Rate{1, 5}, Rate{3, 2}, Rate{7, 100}}) {
    TokenBucket bucket{rate, kNoon};
    granted(bucket, rate, kNoon, static_cast<int>(rate.burst));
    for (int i = 0; i < 40; ++i) bucket.charge(kNoon);  // a debt, as other processes leave it
    const Allowance refused = bucket.take(rate, kNoon);
    ASSERT_FALSE(refused.granted);
    TokenBucket early = bucket;
    EXPECT_FALSE(early.take(rate, kNoon + std::chrono::seconds{refused.retry_seconds - 1}).granted)
        << rate.per_second << " " << refused.retry_seconds;
    EXPECT_TRUE(bucket.take(rate, kNoon + std::chrono::seconds{refused.retry_seconds}).granted)
        << rate.per_second << " " << refused.retry_seconds;
  }
}

TEST(TokenBucket, reset_tells_when_it_is_full) {
  TokenBucket bucket{kHundred, kNoon};
  granted(bucket, kHundred, kNoon, 150);
  const Allowance allowance = bucket.look(kHundred, kNoon);
  EXPECT_EQ(allowance.reset_seconds, 2);
  EXPECT_FALSE(bucket.is_full(kNoon + 1s));
  EXPECT_TRUE(bucket.is_full(kNoon + 2s));
  EXPECT_EQ(bucket.look(kHundred, kNoon + 2s).reset_seconds, 0);
}

TEST(TokenBucket, a_new_rate_applies_from_the_next_request) {
  TokenBucket bucket{kHundred, kNoon};
  EXPECT_EQ(granted(bucket, kHundred, kNoon, 150), 150);
  const Rate more{.per_second = 500, .burst = 1000};
  EXPECT_EQ(bucket.look(more, kNoon).remaining, 850);  // earlier use is kept
  EXPECT_EQ(granted(bucket, more, kNoon, 2000), 850);
  EXPECT_EQ(granted(bucket, more, kNoon + 1s, 2000), 500);
  const Rate less{.per_second = 10, .burst = 20};
  EXPECT_EQ(granted(bucket, less, kNoon + 1s, 2000), 0);
  EXPECT_EQ(granted(bucket, less, kNoon + 1h, 2000), 20);
  EXPECT_EQ(granted(bucket, less, kNoon + 1h + 1s, 2000), 10);
}

TEST(TokenBucket, give_back_undoes_take) {
  TokenBucket bucket{kHundred, kNoon};
  bucket.take(kHundred, kNoon);
  EXPECT_EQ(bucket.give_back().remaining, 200);
  EXPECT_EQ(bucket.used(), bucket.first());
  EXPECT_EQ(bucket.wanted(), bucket.first());
}

TEST(TokenBucket, use_by_others_is_deducted) {
  TokenBucket bucket{kHundred, kNoon};
  granted(bucket, kHundred, kNoon, 50);
  const std::array<OtherUse, 1> others{{{.used = 100, .wanted_per_second = 0, .left = 0}}};
  bucket.learn(others, kNoon);
  EXPECT_EQ(bucket.look(kHundred, kNoon).remaining, 50);
  EXPECT_EQ(bucket.look(kHundred, kNoon + 1s).remaining, 150);  // the other is silent: we get all
}

// Refill that overflowed here counts if another process had made room for it.
TEST(TokenBucket, overflowed_refill_counts_if_others_made_room) {
  TokenBucket bucket{kHundred, kNoon};
  const std::array<OtherUse, 1> others{{{.used = 90, .wanted_per_second = 0, .left = 200}}};
  bucket.learn(others, kNoon + 1s);
  EXPECT_EQ(bucket.look(kHundred, kNoon + 1s).remaining, 200);
}

// Two processes that want much get half each: of the remaining tokens, and of the refill.
TEST(TokenBucket, is_shared_with_processes_that_want_much) {
  TokenBucket bucket{kHundred, kNoon};
  granted(bucket, kHundred, kNoon, 160);
  const std::array<OtherUse, 1> others{{{.used = 0, .wanted_per_second = 500, .left = 40}}};
  bucket.learn(others, kNoon);
  EXPECT_EQ(granted(bucket, kHundred, kNoon, 100), 20);
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 1s, 100), 50);
  EXPECT_EQ(bucket.look(kHundred, kNoon + 1s).retry_seconds, 1);
}

TEST(TokenBucket, processes_that_want_little_get_what_they_want) {
  TokenBucket bucket{kHundred, kNoon};
  granted(bucket, kHundred, kNoon, 200);
  const std::array<OtherUse, 2> others{{{.used = 0, .wanted_per_second = 10, .left = 0},
                                        {.used = 0, .wanted_per_second = 5, .left = 0}}};
  bucket.learn(others, kNoon);
  EXPECT_EQ(granted(bucket, kHundred, kNoon + 1s, 1000), 85);
}

TEST(TokenBucket, a_debt_is_bounded) {
  TokenBucket bucket{kHundred, kNoon};
  const std::array<OtherUse, 1> others{{{.used = 1'000'000, .wanted_per_second = 0, .left = 0}}};
  bucket.learn(others, kNoon);
  EXPECT_EQ(bucket.look(kHundred, kNoon).retry_seconds, 4);  // refills a debt of 300 and a token
  EXPECT_TRUE(bucket.take(kHundred, kNoon + 4s).granted);
}

}  // namespace
}  // namespace shopbell::rates
