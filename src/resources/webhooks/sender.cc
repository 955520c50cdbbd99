#include "resources/webhooks/sender.h"

#include <algorithm>
#include <iterator>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/limits.h"
#include "observe/log.h"

namespace shopbell::webhooks {

namespace {

using observe::Level;
using runtime::Steady;

constexpr auto kUpkeepEvery = std::chrono::seconds{1};         // interval of replays and metrics
constexpr auto kReplayEvery = std::chrono::milliseconds{100};  // pause between steps of a replay
constexpr auto kShutdownGrace = std::chrono::seconds{3};       // wait for requests at shutdown

observe::Counter& counter_of(observe::Metrics& metrics, const std::string& outcome) {
  return metrics.counter("shopbell_webhook_deliveries_total",
                         "Webhook delivery attempts by outcome.", {{"outcome", outcome}});
}

}  // namespace

Sender::Sender(boost::asio::io_context& loop, pg::Pool& database, net::HttpClient& client,
               const keyring::Keyring& keyring, observe::Metrics& metrics)
    : loop_{loop},
      database_{database},
      client_{client},
      keyring_{keyring},
      wake_{loop.get_executor()},
      settle_{loop.get_executor()},
      ended_{loop.get_executor()},
      upkeep_at_{Steady::now()},
      delivered_{counter_of(metrics, "delivered")},
      failed_{counter_of(metrics, "failed")},
      gone_{counter_of(metrics, "gone")},
      waiting_{metrics.gauge("shopbell_webhook_deliveries_waiting",
                             "Deliveries that are due and not in flight.")},
      wait_seconds_{metrics.gauge("shopbell_webhook_wait_seconds",
                                  "How long the oldest waiting delivery has been due.")},
      answer_seconds_{
          metrics.duration("shopbell_webhook_answer_seconds", "Duration of a delivery attempt.")} {}

void Sender::start() {
  running_ = 2;
  const auto ended = [this](const std::exception_ptr&) {
    --running_;
    ended_.ring();
  };
  boost::asio::co_spawn(loop_, keep_sending(), ended);
  boost::asio::co_spawn(loop_, keep_settling(), ended);
}

boost::asio::awaitable<void> Sender::stop() {
  stopping_ = true;
  wake_.ring();
  settle_.ring();
  const auto until = Steady::now() + kShutdownGrace;
  while ((running_ > 0 || !in_flight_.is_empty()) && Steady::now() < until)
    co_await ended_.wait_for(until - Steady::now());
}

boost::asio::awaitable<void> Sender::keep_sending() {
  auto pause = limits::kDeliveryPoll;
  while (!stopping_) {
    bool more = false;
    try {
      if (Steady::now() >= upkeep_at_) {
        upkeep_at_ = Steady::now() + kUpkeepEvery;
        co_await upkeep();
      }
      co_await give_back(in_flight_.give_back(Steady::now()));
      more = co_await take_more();
      poll_failing_ = false;
    } catch (const std::exception& error) {
      if (!std::exchange(poll_failing_, true))
        observe::log(Level::warn, "webhook deliveries could not be claimed",
                     {{"why", error.what()}});
    }
    if (more || stopping_) continue;
    // New deliveries ring the bell; polling finds retries.
    const bool rung =
        co_await wake_.wait_for(std::min<Steady::duration>(pause, upkeep_at_ - Steady::now()));
    pause = rung || !in_flight_.is_empty()
                ? limits::kDeliveryPoll
                : std::min<std::chrono::milliseconds>(2 * pause, kUpkeepEvery);
  }
  try {
    co_await give_back(in_flight_.give_back_all());
  } catch (const std::exception& error) {
    observe::log(Level::warn, "deliveries could not be released", {{"why", error.what()}});
  }
}

boost::asio::awaitable<bool> Sender::take_more() {
  const std::size_t room = in_flight_.room();
  if (room == 0) co_return false;
  const auto asked = Steady::now();
  auto deliveries = co_await take_due(database_, keyring_, in_flight_.load_for_poll(), room);
  const auto now = Steady::now();
  if (now - asked > limits::kDeliveryLease / 3) {  // after a suspension the lease is too short
    co_await give_back(std::move(deliveries));
    co_return false;
  }
  const bool more = deliveries.size() == room;
  for (auto& delivery : deliveries) in_flight_.take(std::move(delivery), now);
  send_ready();
  co_return more;
}

// Releases claimed deliveries. If that fails, their leases expire.
boost::asio::awaitable<void> Sender::give_back(std::vector<Delivery> deliveries) {
  if (!deliveries.empty()) co_await release(database_, deliveries);
}

void Sender::send_ready() {
  while (auto delivery = stopping_ ? std::nullopt : in_flight_.next(Steady::now()))
    boost::asio::co_spawn(loop_, send(*std::move(delivery)), boost::asio::detached);
}

boost::asio::awaitable<void> Sender::upkeep() {
  if (co_await step_replay(database_)) upkeep_at_ = Steady::now() + kReplayEvery;
  const Waiting waiting = co_await count_waiting(database_);
  waiting_.set(static_cast<double>(waiting.deliveries));
  wait_seconds_.set(waiting.seconds);
}

boost::asio::awaitable<void> Sender::send(Delivery delivery) {
  const Outcome outcome = co_await attempt(delivery);
  (outcome.delivered ? delivered_ : outcome.pause ? failed_ : gone_).add();
  in_flight_.answered(outcome);
  outcomes_.push_back(outcome);
  settle_.ring();
  if (in_flight_.has_ready()) wake_.ring();  // send those held by the concurrency limit
  send_ready();
}

boost::asio::awaitable<Outcome> Sender::attempt(const Delivery& delivery) {
  if (!delivery.is_readable) {
    observe::log(Level::error, "webhook secrets cannot be decrypted",
                 {{"webhook", delivery.webhook_id.to_string()}, {"account", delivery.account}});
    co_return not_sent(delivery, "The webhook's secrets cannot be decrypted.");
  }
  try {
    const auto began = Steady::now();
    const auto answer = co_await client_.request(request_of(delivery, system_clock().now()));
    answer_seconds_.observe(std::chrono::duration<double>(Steady::now() - began).count());
    co_return evaluate(delivery, answer, system_clock().now());
  } catch (const std::exception& error) {
    observe::log(Level::error, "webhook request failed", {{"why", error.what()}});
  }
  co_return not_sent(delivery, "The request could not be sent.");
}

// Runs one transaction at a time: outcomes that arrive meanwhile share the next one.
boost::asio::awaitable<void> Sender::keep_settling() {
  while (!stopping_ || !in_flight_.is_empty()) {
    co_await settle_.wait_for(limits::kDeliveryPoll);
    if (outcomes_.empty()) continue;
    const std::vector<Outcome> outcomes = std::exchange(outcomes_, {});
    std::vector<Outcome> left;
    try {
      co_await settle_or_bisect(outcomes, left);
      settle_failing_ = false;
    } catch (const std::exception& error) {
      if (!std::exchange(settle_failing_, true))
        observe::log(Level::warn, "deliveries could not be settled", {{"why", error.what()}});
      left = outcomes;  // settling an outcome twice has no effect
    }
    in_flight_.settled(outcomes, left);
    // Retry: an outcome that is never settled causes a redelivery when the lease expires.
    std::ranges::move(left, std::back_inserter(outcomes_));
    wake_.ring();
  }
}

// Bisects outcomes that the server refuses, so that one outcome does not block the others. `left`
// gets the outcomes that failed on a lock or a race.
boost::asio::awaitable<void> Sender::settle_or_bisect(std::span<const Outcome> outcomes,
                                                      std::vector<Outcome>& left) {
  try {
    co_await settle(database_, outcomes);
    co_return;
  } catch (const pg::Error& error) {
    if (error.kind() != pg::Error::Kind::refused || error.is_outage() || error.is_timeout()) throw;
    if (outcomes.size() == 1) {
      if (error.is_overtaken()) {
        left.push_back(outcomes.front());
      } else {
        observe::log(Level::error, "delivery could not be settled",
                     {{"webhook", outcomes.front().webhook_id.to_string()}, {"why", error.what()}});
      }
      co_return;
    }
  }
  const auto half = outcomes.first(outcomes.size() / 2);
  co_await settle_or_bisect(half, left);
  co_await settle_or_bisect(outcomes.subspan(half.size()), left);
}

}  // namespace shopbell::webhooks
