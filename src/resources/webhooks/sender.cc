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

constexpr auto kPollIdle = std::chrono::milliseconds{1000};    // longest interval of polls
constexpr auto kUpkeepEvery = std::chrono::milliseconds{100};  // interval of upkeep, replay steps
constexpr auto kReplayIdle = std::chrono::seconds{1};          // between checks for a replay
constexpr auto kAdvanceEvery = std::chrono::seconds{1};
constexpr auto kFindAllEvery = std::chrono::minutes{1};
constexpr auto kCatchUpEvery = std::chrono::seconds{1};
constexpr auto kRefuseEvery = std::chrono::seconds{5};  // between searches for refused retries
// Transactions that began before the clock was set back may commit deliveries this long afterwards.
constexpr auto kCatchUp = limits::kLogTransaction + std::chrono::seconds{5};
constexpr auto kShutdownGrace = std::chrono::seconds{3};  // wait for requests at shutdown

observe::Counter& counter_of(observe::Metrics& metrics, const std::string& outcome) {
  return metrics.counter("shopbell_webhook_deliveries_total",
                         "Webhook delivery attempts by outcome.", {{"outcome", outcome}});
}

}  // namespace

Sender::Sender(boost::asio::io_context& loop, pg::Pool& database, pg::Pool& upkeep,
               net::HttpClient& client, const keyring::Keyring& keyring, observe::Metrics& metrics)
    : loop_{loop},
      database_{database},
      upkeep_{upkeep},
      client_{client},
      keyring_{keyring},
      wake_{loop.get_executor()},
      settle_{loop.get_executor()},
      ended_{loop.get_executor()},
      stop_upkeep_{loop.get_executor()},
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
  running_ = 3;
  const auto ended = [this](const std::exception_ptr&) {
    --running_;
    ended_.ring();
  };
  boost::asio::co_spawn(loop_, keep_sending(), ended);
  boost::asio::co_spawn(loop_, keep_settling(), ended);
  boost::asio::co_spawn(loop_, keep_up(), ended);
}

boost::asio::awaitable<void> Sender::stop() {
  stopping_ = true;
  wake_.ring();
  settle_.ring();
  stop_upkeep_.ring();
  const auto until = Steady::now() + kShutdownGrace;
  while ((running_ > 0 || !in_flight_.is_empty()) && Steady::now() < until)
    co_await ended_.wait_for(until - Steady::now());
}

boost::asio::awaitable<void> Sender::keep_sending() {
  auto pause = limits::kDeliveryPoll;
  while (!stopping_) {
    bool more = false;
    try {
      co_await find_endpoints();
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
    const bool rung = co_await wake_.wait_for(pause);
    pause = rung || !in_flight_.is_empty() ? limits::kDeliveryPoll : std::min(2 * pause, kPollIdle);
  }
  try {
    co_await give_back(in_flight_.give_back_all());
  } catch (const std::exception& error) {
    observe::log(Level::warn, "deliveries could not be released", {{"why", error.what()}});
  }
}

boost::asio::awaitable<bool> Sender::take_more() {
  const bool is_full = in_flight_.room() == 0;
  const std::size_t room = is_full ? in_flight_.reserved_room() : in_flight_.room();
  if (room == 0) co_return false;
  const auto asked = Steady::now();
  Load load = in_flight_.load_for_poll();
  const std::vector<DueEndpoint> endpoints = is_full
                                                 ? endpoints_.for_poll_of_idle_accounts(load, asked)
                                                 : endpoints_.for_poll(load, asked);
  auto deliveries = co_await take_due(database_, keyring_, endpoints, load, room);
  const auto now = Steady::now();
  if (now - asked > limits::kDeliveryLease / 3) {  // after a suspension the lease is too short
    co_await give_back(std::move(deliveries));
    co_return false;
  }
  const bool more = deliveries.size() == room;
  endpoints_.claimed(deliveries, now);
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

// Finds endpoints that have become due since the last call.
boost::asio::awaitable<void> Sender::find_endpoints() {
  const auto now = Steady::now();
  const auto window =
      found_at_ ? std::chrono::ceil<std::chrono::seconds>(now - *found_at_) + limits::kDueCommit
                : kAnyTime;
  endpoints_.add(co_await find_due_endpoints(database_, window), now);
  found_at_ = now;
}

// Finds endpoints that became due in a transaction which took very long to commit.
boost::asio::awaitable<void> Sender::find_all_endpoints() {
  endpoints_.add(co_await find_due_endpoints(upkeep_, kAnyTime), Steady::now());
}

boost::asio::awaitable<void> Sender::advance_endpoints() {
  const std::vector<DueEndpoint> endpoints = endpoints_.to_advance(Steady::now());
  if (endpoints.empty()) co_return;
  endpoints_.advanced(co_await advance_next_due(upkeep_, endpoints), Steady::now());
}

boost::asio::awaitable<void> Sender::replay() {
  if (!co_await step_replay(upkeep_)) replay_at_ = Steady::now() + kReplayIdle;
}

boost::asio::awaitable<void> Sender::end_refused() {
  while (!stopping_ && co_await hasten_refused(upkeep_) > 0) wake_.ring();
}

void Sender::clock_set_back() { catch_up_until_ = Steady::now() + kCatchUp; }

boost::asio::awaitable<void> Sender::catch_up_with_clock() {
  while (!stopping_ && co_await bring_forward(upkeep_) > 0) wake_.ring();
}

// Endpoints beyond the limit are assumed to have as many waiting deliveries as the counted ones.
boost::asio::awaitable<void> Sender::count() {
  const std::vector<DueEndpoint> counted = endpoints_.longest_waiting(limits::kWaitingEndpoints);
  const Waiting waiting = co_await count_waiting(upkeep_, counted);
  const double share = counted.empty() ? 1
                                       : static_cast<double>(endpoints_.answering()) /
                                             static_cast<double>(counted.size());
  waiting_.set(static_cast<double>(waiting.deliveries) * std::max(share, 1.0));
  wait_seconds_.set(waiting.seconds);
}

// Runs beside the sending, on a connection of its own: it never delays a delivery.
boost::asio::awaitable<void> Sender::keep_up() {
  auto advance_at = Steady::now();
  auto find_at = Steady::now() + kFindAllEvery;
  auto count_at = Steady::now();
  auto catch_up_at = Steady::now();
  auto refuse_at = Steady::now();
  const auto is_time = [](Steady::time_point& at, Steady::duration every) {
    if (Steady::now() < at) return false;
    at = Steady::now() + every;
    return true;
  };
  while (!stopping_) {
    if (Steady::now() < catch_up_until_ && is_time(catch_up_at, kCatchUpEvery))
      co_await log_failure(catch_up_with_clock());
    if (is_time(replay_at_, kUpkeepEvery)) co_await log_failure(replay());
    if (is_time(refuse_at, kRefuseEvery)) co_await log_failure(end_refused());
    if (is_time(advance_at, kAdvanceEvery)) co_await log_failure(advance_endpoints());
    if (is_time(find_at, kFindAllEvery)) co_await log_failure(find_all_endpoints());
    if (is_time(count_at, limits::kWaitingEvery)) co_await log_failure(count());
    co_await stop_upkeep_.wait_for(kUpkeepEvery);
  }
}

boost::asio::awaitable<void> Sender::log_failure(boost::asio::awaitable<void> work) {
  try {
    co_await std::move(work);
    upkeep_failing_ = false;
  } catch (const std::exception& error) {
    if (!std::exchange(upkeep_failing_, true))
      observe::log(Level::warn, "webhook upkeep failed", {{"why", error.what()}});
  }
}

boost::asio::awaitable<void> Sender::send(Delivery delivery) {
  const Outcome outcome = co_await attempt(delivery);
  if (!outcome.refused) (outcome.delivered ? delivered_ : outcome.pause ? failed_ : gone_).add();
  in_flight_.answered(outcome);
  endpoints_.answered(outcome, Steady::now());
  outcomes_.push_back(outcome);
  settle_.ring();
  if (in_flight_.has_ready()) wake_.ring();  // send those held by the concurrency limit
  send_ready();
}

boost::asio::awaitable<Outcome> Sender::attempt(const Delivery& delivery) {
  if (delivery.is_refused) co_return refused(delivery);
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
