#include "rates/rate_limit.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/time.h"

namespace shopbell::rates {
namespace {

using namespace std::chrono_literals;

constexpr Rate kUsual;
constexpr Steady::time_point kStart{1000s};

class RateLimitsTest : public ::testing::Test {
 protected:
  bool refused(const std::string& policy, int times) const {
    return metrics_.text().contains(
        std::format("shopbell_rate_limited_total{{policy=\"{}\"}} {}\n", policy, times));
  }

  observe::Metrics metrics_;
  RateLimits limits_{metrics_};
  const Uuid key_ = Uuid::v7(system_clock().now());
};

TEST_F(RateLimitsTest, headers_have_the_documented_format) {
  const Admission admission = limits_.admit(1, key_, kUsual, {}, kStart);
  EXPECT_TRUE(admission.granted());
  EXPECT_EQ(policy_header(admission), R"("default";q=200;w=2)");
  EXPECT_EQ(limit_header(admission), R"("default";r=199;t=1)");
}

TEST_F(RateLimitsTest, a_key_with_its_own_rate_has_two_policies) {
  const Admission admission = limits_.admit(1, key_, kUsual, Rate{10, 15}, kStart);
  EXPECT_EQ(policy_header(admission), R"("default";q=200;w=2, "key";q=15;w=2)");
  EXPECT_EQ(limit_header(admission), R"("default";r=199;t=1, "key";r=14;t=1)");
}

TEST_F(RateLimitsTest, accounts_and_keys_have_buckets_of_their_own) {
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(limits_.admit(1, key_, kUsual, {}, kStart).granted());
  EXPECT_FALSE(limits_.admit(1, key_, kUsual, {}, kStart).granted());
  EXPECT_TRUE(limits_.admit(2, key_, kUsual, {}, kStart).granted());
}

TEST_F(RateLimitsTest, lines_have_a_separate_bucket) {
  const LineAdmission first = limits_.admit_lines(1, 15'001, kUsual, kStart);
  EXPECT_TRUE(first.allowance.granted);
  std::string policy = R"("default";q=200;w=2)";
  std::string left = R"("default";r=199;t=1)";
  add_lines(first, policy, left);
  EXPECT_EQ(policy, R"("default";q=200;w=2, "lines";q=20000;w=2)");
  EXPECT_EQ(left, R"("default";r=199;t=1, "lines";r=4900;t=2)");

  const LineAdmission second = limits_.admit_lines(1, 10'000, kUsual, kStart);
  EXPECT_FALSE(second.allowance.granted);
  EXPECT_EQ(quota_problem(second).code(), Code::quota_exceeded);
  EXPECT_TRUE(refused("lines", 1));
  EXPECT_EQ(limits_.admit(1, key_, kUsual, {}, kStart).account.remaining, 199);
  EXPECT_TRUE(limits_.admit_lines(2, 10'000, kUsual, kStart).allowance.granted);
}

TEST_F(RateLimitsTest, a_refusal_by_the_key_does_not_charge_the_account) {
  const Rate small{10, 20};
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(limits_.admit(1, key_, kUsual, small, kStart).granted());
  for (int i = 0; i < 50; ++i) {
    const Admission admission = limits_.admit(1, key_, kUsual, small, kStart);
    EXPECT_FALSE(admission.granted());
    EXPECT_EQ(limit_header(admission), R"("default";r=180;t=1, "key";r=0;t=2)");
    const Problem problem = quota_problem(admission);
    EXPECT_EQ(problem.status(), 429);
    using Pairs = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(problem.headers(), (Pairs{{"Retry-After", "1"}}));
    EXPECT_EQ(problem.members(), (Pairs{{"violated-policies", R"(["key"])"}}));
  }
  EXPECT_TRUE(refused("key", 50));
  EXPECT_TRUE(refused("default", 0));
}

TEST_F(RateLimitsTest, a_refusal_by_the_account_does_not_charge_the_key) {
  const Rate small{10, 20};
  for (int i = 0; i < 20; ++i) limits_.admit(1, key_, small, Rate{100, 200}, kStart);
  const Admission admission = limits_.admit(1, key_, small, Rate{100, 200}, kStart);
  EXPECT_FALSE(admission.granted());
  EXPECT_EQ(limit_header(admission), R"("default";r=0;t=2, "key";r=180;t=1)");
  EXPECT_EQ(quota_problem(admission).members().front().second, R"(["default"])");
  EXPECT_TRUE(refused("default", 1));
}

TEST_F(RateLimitsTest, both_limits_can_be_exceeded_and_the_longer_wait_counts) {
  const Rate account{10, 2};
  const Rate slow{1, 2};
  for (int i = 0; i < 2; ++i) limits_.admit(1, key_, account, slow, kStart);
  const Problem problem = quota_problem(limits_.admit(1, key_, account, slow, kStart));
  EXPECT_EQ(problem.members().front().second, R"(["default","key"])");
  EXPECT_EQ(problem.headers().front().second, "1");
}

TEST_F(RateLimitsTest, a_new_rate_applies_from_the_next_request) {
  limits_.admit(1, key_, kUsual, {}, kStart);
  const Admission admission = limits_.admit(1, key_, Rate{5, 10}, {}, kStart);
  EXPECT_EQ(policy_header(admission), R"("default";q=10;w=2)");
  EXPECT_EQ(limit_header(admission), R"("default";r=8;t=1)");
}

TEST_F(RateLimitsTest, remembers_a_bounded_number_of_buckets) {
  RateLimits small{metrics_, 25'600};
  for (std::int64_t account = 1; account <= 100'000; ++account)
    small.take({.account = account * 7919}, kUsual, kStart + account * 1us);
  EXPECT_LE(small.size(), 25'600U);
  EXPECT_GE(small.size(), 16'000U);
}

TEST_F(RateLimitsTest, evicts_full_buckets_first_then_idle_ones) {
  RateLimits small{metrics_, 25'600};
  // One bucket is used up again and again. Each of many other buckets gets one request, and is soon
  // full again.
  const auto use_up = [&](Steady::time_point now) {
    while (small.take({.account = 5}, kUsual, now).granted) continue;
  };
  auto now = kStart;
  for (std::int64_t account = 1000; account < 100'000; ++account) {
    now += 50us;
    if (account % 5000 == 0) use_up(now);
    small.take({.account = account * 7919}, kUsual, now);
  }
  EXPECT_LT(small.take({.account = 5}, kUsual, now).remaining, 199);
}

TEST_F(RateLimitsTest, the_exchange_gets_buckets_in_use_and_idle_ones_are_removed) {
  limits_.take({.account = 1}, kUsual, kStart);
  for (int i = 0; i < 250; ++i) limits_.take({.account = 2, .key = key_}, kUsual, kStart);
  auto uses = limits_.use(kStart + 1s);
  ASSERT_EQ(uses.size(), 2U);
  if (uses[0].bucket.account == 2) std::swap(uses[0], uses[1]);
  EXPECT_EQ(uses[0].used - uses[0].first, 1);
  EXPECT_EQ(uses[1].bucket.key, key_);
  EXPECT_EQ(uses[1].used - uses[1].first, 200);
  EXPECT_EQ(uses[1].wanted - uses[1].first, 250);
  EXPECT_EQ(limits_.use(kStart + 11s).size(), 0U);
}

TEST_F(RateLimitsTest, an_address_may_fail_sometimes_but_not_guess_keys) {
  EXPECT_TRUE(limits_.may_authenticate("192.0.2.7", kStart).granted);
  EXPECT_EQ(limits_.size(), 0U);  // checking creates no bucket
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(limits_.may_authenticate("192.0.2.7", kStart).granted);
    limits_.failed("192.0.2.7", kStart);
  }
  const Allowance blocked = limits_.may_authenticate("192.0.2.7", kStart);
  EXPECT_FALSE(blocked.granted);
  EXPECT_EQ(blocked.retry_seconds, 1);
  EXPECT_TRUE(refused("authentication", 1));
  EXPECT_TRUE(limits_.may_authenticate("192.0.2.8", kStart).granted);
  EXPECT_TRUE(limits_.may_authenticate("192.0.2.7", kStart + 1s).granted);
  const Problem problem = authentication_quota_problem(blocked);
  EXPECT_EQ(problem.status(), 429);
  EXPECT_EQ(problem.headers().front(), (std::pair<std::string, std::string>{"Retry-After", "1"}));
  EXPECT_EQ(problem.members().front().second, R"(["authentication"])");
}

TEST_F(RateLimitsTest, requests_without_a_key_are_limited_by_address) {
  for (int i = 0; i < limits::kAnonymousBurst; ++i)
    EXPECT_TRUE(limits_.admit_anonymous("192.0.2.7", kStart).granted);
  const Allowance blocked = limits_.admit_anonymous("192.0.2.7", kStart);
  EXPECT_FALSE(blocked.granted);
  EXPECT_TRUE(refused("anonymous", 1));
  EXPECT_TRUE(limits_.admit_anonymous("192.0.2.8", kStart).granted);
  EXPECT_TRUE(limits_.may_authenticate("192.0.2.7", kStart).granted) << "another bucket";
  EXPECT_TRUE(limits_.admit_anonymous("192.0.2.7", kStart + 1s).granted);
  const Problem problem = anonymous_quota_problem(blocked);
  EXPECT_EQ(problem.status(), 429);
  EXPECT_EQ(problem.headers().front(), (std::pair<std::string, std::string>{"Retry-After", "1"}));
  EXPECT_EQ(problem.members().front().second, R"(["anonymous"])");
}

TEST_F(RateLimitsTest, concurrent_failures_block_for_longer) {
  for (int i = 0; i < 1000; ++i) limits_.failed("192.0.2.7", kStart);
  EXPECT_EQ(limits_.may_authenticate("192.0.2.7", kStart).retry_seconds,
            11);  // 11 s refill the debt of 50 and one more token
  EXPECT_FALSE(limits_.may_authenticate("192.0.2.7", kStart + 10s).granted);
  EXPECT_TRUE(limits_.may_authenticate("192.0.2.7", kStart + 11s).granted);
}

TEST_F(RateLimitsTest, addresses_of_one_network_count_together) {
  for (int i = 0; i < 50; ++i) limits_.failed(std::format("2001:db8:1:2::{:x}", i), kStart);
  EXPECT_FALSE(limits_.may_authenticate("2001:db8:1:2:ffff::1", kStart).granted);
  EXPECT_TRUE(limits_.may_authenticate("2001:db8:1:3::1", kStart).granted);
  for (int i = 0; i < 50; ++i) limits_.failed("::ffff:192.0.2.7", kStart);
  EXPECT_FALSE(limits_.may_authenticate("192.0.2.7", kStart).granted);
  EXPECT_TRUE(limits_.may_authenticate("192.0.2.8", kStart).granted);
}

TEST_F(RateLimitsTest, all_loops_share_one_limit) {
  constexpr int kThreads = 4;
  constexpr int kEach = 2'000;
  std::array<std::atomic<int>, 3> granted{};
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kEach; ++i) {
          const std::int64_t account = 1 + i % 3;
          const bool own_rate = account == 3;
          const Admission admission = limits_.admit(
              account, key_, kUsual, own_rate ? std::optional{Rate{10, 50}} : std::nullopt, kStart);
          if (admission.granted()) ++granted[static_cast<std::size_t>(account - 1)];
          limits_.failed(std::format("192.0.2.{}", i % 100), kStart);
          limits_.may_authenticate("192.0.2.1", kStart);
          if (thread == 0 && i % 100 == 0) {
            for (const auto& use : limits_.use(kStart)) limits_.learn(use.bucket, {}, kStart);
          }
        }
      });
    }
  }
  EXPECT_EQ(granted[0], 200);
  EXPECT_EQ(granted[1], 200);
  EXPECT_EQ(granted[2], 50);
}

}  // namespace
}  // namespace shopbell::rates
