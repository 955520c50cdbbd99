#include "resources/webhooks/deliveries_in_flight.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace shopbell::webhooks {
namespace {

using namespace std::chrono_literals;

class DeliveriesInFlightTest : public ::testing::Test {
 protected:
  void take(const Uuid& webhook, std::int64_t count, std::int64_t account = 1) {
    for (std::int64_t i = 0; i < count; ++i)
      in_flight_.take({.account = account, .webhook_id = webhook, .id = ++last_id_}, now_);
  }
  std::vector<Delivery> send() {
    std::vector<Delivery> sent;
    while (auto delivery = in_flight_.next(now_)) sent.push_back(*std::move(delivery));
    return sent;
  }
  static Outcome outcome(const Delivery& delivery, bool delivered) {
    Outcome outcome{.account = delivery.account,
                    .webhook_id = delivery.webhook_id,
                    .id = delivery.id,
                    .delivered = delivered};
    if (!delivered) outcome.pause = 5s;
    return outcome;
  }
  void answer(const std::vector<Delivery>& deliveries, bool delivered = true) {
    for (const auto& delivery : deliveries) in_flight_.answered(outcome(delivery, delivered));
  }
  void settle(const std::vector<Delivery>& deliveries) {
    std::vector<Outcome> outcomes;
    for (const auto& delivery : deliveries) outcomes.push_back(outcome(delivery, true));
    in_flight_.settled(outcomes, {});
  }
  std::size_t given_back() { return in_flight_.give_back(now_).size(); }

  DeliveriesInFlight in_flight_;
  DeliveriesInFlight::Time now_ = runtime::Steady::now();
  const Uuid one_ = Uuid::v7(system_clock().now());
  const Uuid other_ = Uuid::v7(system_clock().now());
  std::int64_t last_id_ = 0;
};

TEST_F(DeliveriesInFlightTest, limits_concurrency_per_endpoint) {
  take(one_, 20);
  take(other_, 3);
  const auto sent = send();
  EXPECT_EQ(std::ranges::count(sent, one_, &Delivery::webhook_id), 8);
  EXPECT_EQ(std::ranges::count(sent, other_, &Delivery::webhook_id), 3);
  EXPECT_EQ(sent.front().id, 1);
  answer({sent.front()});
  EXPECT_EQ(send().size(), 1U);
}

TEST_F(DeliveriesInFlightTest, limits_concurrency_per_account) {
  for (int i = 0; i < 10; ++i) take(Uuid::v7(system_clock().now()), 8);
  EXPECT_EQ(send().size(), limits::kDeliveriesPerAccount);
  take(other_, 1, 2);
  EXPECT_EQ(send().size(), 1U);
}

TEST_F(DeliveriesInFlightTest, prefetches_as_many_as_the_endpoint_received) {
  take(one_, 8);
  const auto sent = send();
  EXPECT_EQ(in_flight_.load_for_poll().of_webhook.at(one_), 8);  // no delivery has succeeded yet
  answer({sent[0], sent[1], sent[2]});
  const Load load = in_flight_.load_for_poll();
  EXPECT_EQ(load.of_webhook.at(one_), 5 - 3);
  EXPECT_EQ(load.of_account.at(1), 5 - 3);
  EXPECT_EQ(in_flight_.load_for_poll().of_webhook.at(one_), 5);  // the poll before reset the count
}

TEST_F(DeliveriesInFlightTest, prefetches_nothing_for_a_failing_endpoint) {
  take(one_, 8);
  answer(send(), false);
  EXPECT_FALSE(in_flight_.load_for_poll().of_webhook.at(one_) < 0);
}

TEST_F(DeliveriesInFlightTest, limits_all_deliveries) {
  for (std::int64_t account = 1; account <= 64; ++account)
    take(Uuid::v7(system_clock().now()), 8, account);
  EXPECT_EQ(in_flight_.room(), 0U);
  const auto sent = send();
  EXPECT_EQ(sent.size(), limits::kDeliveriesAtOnce);
  answer(sent);
  EXPECT_EQ(in_flight_.room(), 0U);  // unsettled outcomes use up room
  for (const auto& [webhook, count] : in_flight_.load_for_poll().of_webhook) EXPECT_GE(count, 0);
  settle(sent);
  EXPECT_EQ(in_flight_.room(), sent.size());
}

TEST_F(DeliveriesInFlightTest, has_room_for_an_account_without_requests) {
  for (std::int64_t account = 1; account <= 32; ++account)
    take(Uuid::v7(system_clock().now()), 8, account);
  EXPECT_EQ(send().size(), limits::kDeliveriesAtOnce);
  EXPECT_EQ(in_flight_.room(), 0U);
  EXPECT_GE(in_flight_.reserved_room(), kReservedDeliveries);
  take(one_, 3, 33);
  const auto sent = send();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].account, 33);
}

TEST_F(DeliveriesInFlightTest, sends_first_for_accounts_with_fewer_requests) {
  take(one_, 20, 1);
  for (int i = 0; i < 20; ++i) take(Uuid::v7(system_clock().now()), 1, 1);
  send();
  take(Uuid::v7(system_clock().now()), 1, 1);
  take(other_, 1, 2);
  EXPECT_EQ(in_flight_.next(now_)->account, 2);
}

TEST_F(DeliveriesInFlightTest, gives_back_old_prefetched_deliveries) {
  take(one_, 10);
  send();
  EXPECT_EQ(given_back(), 0U);
  now_ += 2s;
  EXPECT_EQ(given_back(), 2U);
  EXPECT_EQ(in_flight_.load_for_poll().of_webhook.at(one_), 8);
  EXPECT_FALSE(in_flight_.has_ready());
}

TEST_F(DeliveriesInFlightTest, sends_nothing_with_an_expired_lease) {
  take(one_, 10);
  now_ += 31s;  // the process was suspended
  EXPECT_TRUE(send().empty());
  EXPECT_EQ(given_back(), 10U);
}

TEST_F(DeliveriesInFlightTest, stops_an_endpoint_after_410_or_retry_after) {
  for (const bool is_gone : {true, false}) {
    take(one_, 10);
    take(other_, 9);
    const auto sent = send();
    Outcome last = outcome(sent.front(), false);
    if (is_gone)
      last.pause.reset();
    else
      last.rest = 60s;
    in_flight_.answered(last);
    EXPECT_EQ(given_back(), 2U);
    // Until the outcome is settled, the endpoint gets no further deliveries, and none are claimed.
    take(one_, 1);
    EXPECT_FALSE(in_flight_.next(now_));
    EXPECT_EQ(in_flight_.load_for_poll().of_webhook.at(one_),
              std::int64_t{limits::kDeliveriesPerEndpoint});
    const std::array outcomes{last};
    in_flight_.settled(outcomes, outcomes);
    EXPECT_FALSE(in_flight_.next(now_));
    in_flight_.settled(outcomes, {});
    answer({sent.begin() + 1, sent.end()});
    answer(send());
    EXPECT_FALSE(in_flight_.has_ready());
  }
}

TEST_F(DeliveriesInFlightTest, is_empty_once_everything_is_settled) {
  take(one_, 9);
  const auto sent = send();
  EXPECT_EQ(in_flight_.give_back_all().size(), 1U);
  EXPECT_FALSE(in_flight_.is_empty());
  answer(sent);
  EXPECT_FALSE(in_flight_.is_empty());
  settle(sent);
  EXPECT_TRUE(in_flight_.is_empty());
}

TEST_F(DeliveriesInFlightTest, that_are_refused_do_not_stop_the_others_of_their_endpoint) {
  take(one_, 20);
  Outcome ended = outcome(send().front(), false);
  ended.pause.reset();
  ended.refused = true;
  in_flight_.answered(ended);
  EXPECT_EQ(given_back(), 0U);
  EXPECT_EQ(send().size(), 1U);
}

}  // namespace
}  // namespace shopbell::webhooks
