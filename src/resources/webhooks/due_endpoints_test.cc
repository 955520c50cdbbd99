#include "resources/webhooks/due_endpoints.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace shopbell::webhooks {
namespace {

using namespace std::chrono_literals;

class DueEndpointsTest : public ::testing::Test {
 protected:
  Uuid add(Instant next_due_at = Instant{}, bool is_failing = false) {
    const FoundEndpoint found{.account = 1,
                              .webhook_id = Uuid::v7(system_clock().now()),
                              .next_due_at = next_due_at,
                              .is_failing = is_failing};
    endpoints_.add(std::array{found}, now_);
    return found.webhook_id;
  }
  std::vector<Uuid> poll() {
    load_ = {};
    load_.of_webhook = in_flight_;
    std::vector<Uuid> polled;
    for (const auto& endpoint : endpoints_.for_poll(load_, now_))
      polled.push_back(endpoint.webhook_id);
    return polled;
  }
  // Returns how many deliveries of an endpoint the last poll may claim.
  std::int64_t room(const Uuid& webhook) {
    return std::int64_t{limits::kDeliveriesPerEndpoint} - load_.of_webhook[webhook];
  }
  void answer(const Uuid& webhook, bool delivered, int times = 1) {
    for (int i = 0; i < times; ++i)
      endpoints_.answered({.account = 1, .webhook_id = webhook, .delivered = delivered}, now_);
  }

  DueEndpoints endpoints_;
  Load load_;
  std::map<Uuid, std::int64_t> in_flight_;
  DueEndpoints::Time now_ = runtime::Steady::now();
};

TEST_F(DueEndpointsTest, take_turns_if_a_poll_cannot_hold_all) {
  std::map<Uuid, int> polls;
  for (int i = 0; i < 1200; ++i) add();
  for (int i = 0; i < 12; ++i) {
    now_ += 1ms;
    for (const auto& webhook : poll()) ++polls[webhook];
  }
  EXPECT_EQ(polls.size(), 1200U);
  for (const auto& [webhook, count] : polls) EXPECT_NEAR(count, 5, 1);
  now_ += 1ms;
  const Uuid late = add();
  EXPECT_EQ(poll().front(), late);
}

TEST_F(DueEndpointsTest, that_were_served_longest_ago_come_first) {
  const Uuid first = add();
  const Uuid second = add();
  now_ += 1ms;
  endpoints_.claimed(std::array{Delivery{.webhook_id = first}}, now_);
  EXPECT_EQ(poll(), (std::vector{second, first}));
}

TEST_F(DueEndpointsTest, of_accounts_without_deliveries_in_flight_can_be_polled_alone) {
  add();
  const FoundEndpoint other{.account = 2, .webhook_id = Uuid::v7(system_clock().now())};
  endpoints_.add(std::array{other}, now_);
  load_.of_account[1] = 3;
  const auto polled = endpoints_.for_poll_of_idle_accounts(load_, now_);
  ASSERT_EQ(polled.size(), 1U);
  EXPECT_EQ(polled[0].webhook_id, other.webhook_id);
}

TEST_F(DueEndpointsTest, get_one_attempt_at_a_time_and_pauses_after_many_failures) {
  const Uuid webhook = add();
  poll();
  EXPECT_EQ(room(webhook), 8);
  answer(webhook, false, 3);
  poll();
  EXPECT_EQ(room(webhook), 5);
  answer(webhook, false, 5);
  EXPECT_TRUE(poll().empty());
  now_ += limits::kEndpointPauseFirst;
  EXPECT_EQ(poll().size(), 1U);
  EXPECT_EQ(room(webhook), 1);
  in_flight_[webhook] = 1;
  EXPECT_TRUE(poll().empty());
  in_flight_.clear();
  answer(webhook, false, 20);
  now_ += limits::kEndpointPauseMost / 3;
  EXPECT_TRUE(poll().empty());
  now_ += limits::kEndpointPauseMost;
  EXPECT_EQ(poll().size(), 1U);
  answer(webhook, true);
  EXPECT_EQ(poll().size(), 1U);
  EXPECT_EQ(room(webhook), 8);
}

// Otherwise the deliveries that a dead endpoint of an event type leaves would end one by one.
TEST_F(DueEndpointsTest, that_are_disabled_are_polled_without_pauses) {
  const Uuid webhook = add();
  answer(webhook, false, 20);
  EXPECT_TRUE(poll().empty());
  endpoints_.answered({.webhook_id = webhook, .refused = true}, now_);
  EXPECT_EQ(poll(), std::vector{webhook});
  EXPECT_EQ(room(webhook), 8);
}

TEST_F(DueEndpointsTest, that_fail_share_half_of_the_concurrency) {
  for (int i = 0; i < 300; ++i) in_flight_[add({}, true)] = 0;
  const Uuid answering = add();
  const auto polled = poll();
  EXPECT_EQ(polled.size(), limits::kFailingAtOnce + 1);
  EXPECT_TRUE(std::ranges::contains(polled, answering));
  for (const auto& webhook : polled) in_flight_[webhook] = 1;
  EXPECT_EQ(poll(), std::vector{answering});
}

TEST_F(DueEndpointsTest, are_forgotten_when_nothing_is_due) {
  const Uuid idle = add();
  const Uuid busy = add();
  EXPECT_TRUE(endpoints_.to_advance(now_).empty());
  now_ += limits::kNextDueEvery;
  EXPECT_EQ(endpoints_.to_advance(now_).size(), 2U);
  endpoints_.advanced(std::array{NextDue{.webhook_id = idle},
                                 NextDue{.webhook_id = busy, .at = Instant{5s}, .is_due = true}},
                      now_);
  EXPECT_TRUE(endpoints_.to_advance(now_).empty());
  EXPECT_EQ(poll(), std::vector{busy});
  EXPECT_EQ(endpoints_.for_poll(load_, now_).at(0).since, Instant{5s});
}

TEST_F(DueEndpointsTest, are_polled_from_the_last_claimed_delivery_on) {
  const Uuid webhook = add(Instant{5s});
  endpoints_.claimed(std::array{Delivery{.webhook_id = webhook, .claimed_through = Instant{9s}}},
                     now_);
  EXPECT_EQ(endpoints_.for_poll(load_, now_).at(0).since, Instant{9s});
  const FoundEndpoint earlier{.account = 1, .webhook_id = webhook, .next_due_at = Instant{7s}};
  endpoints_.add(std::array{earlier}, now_);
  EXPECT_EQ(endpoints_.for_poll(load_, now_).at(0).since, Instant{7s});
}

TEST_F(DueEndpointsTest, that_answer_are_ordered_by_their_waiting_time) {
  const Uuid second = add(Instant{2s});
  const Uuid first = add(Instant{1s});
  add(Instant{3s});
  add(Instant{0s}, true);
  EXPECT_EQ(endpoints_.answering(), 3U);
  const auto longest = endpoints_.longest_waiting(2);
  ASSERT_EQ(longest.size(), 2U);
  EXPECT_EQ(longest[0].webhook_id, first);
  EXPECT_EQ(longest[1].webhook_id, second);
}

}  // namespace
}  // namespace shopbell::webhooks
