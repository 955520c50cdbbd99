#include "app/service/chore.h"

#include <chrono>
#include <utility>

#include "base/time.h"
#include "observe/log.h"

namespace shopbell::app {

namespace {

double unix_seconds() {
  return std::chrono::duration<double>{system_clock().now().time_since_epoch()}.count();
}

enum class Outcome { finished, unfinished, failed };

boost::asio::awaitable<Outcome> run_round(const Chore& chore) {
  const auto log_failure = [&](std::string_view why) {
    observe::log(observe::Level::warn, "upkeep failed", {{"chore", chore.name}, {"why", why}});
  };
  try {
    co_return co_await chore.round() ? Outcome::finished : Outcome::unfinished;
  } catch (const std::exception& error) {
    log_failure(error.what());
  } catch (...) {
    log_failure("an unknown exception");
  }
  co_return Outcome::failed;
}

}  // namespace

bool Rounds::begin() {
  if (!stopping_) ++running_;
  return !stopping_;
}

void Rounds::end() {
  if (--running_ == 0 && stopping_) rested_();
}

void Rounds::stop(std::function<void()> rested) {
  stopping_ = true;
  rested_ = std::move(rested);
  if (running_ == 0) rested_();
}

boost::asio::awaitable<void> repeat(Chore chore, observe::Metrics& metrics, Rounds& rounds) {
  observe::Gauge& success = metrics.gauge(
      "shopbell_upkeep_success_seconds",
      "Unix time at which the chore last had no work left; at first the start of the process.",
      {{"chore", chore.name}});
  observe::Counter& failures = metrics.counter(
      "shopbell_upkeep_failures_total", "Failed rounds of a chore.", {{"chore", chore.name}});
  success.set(unix_seconds());
  while (rounds.begin()) {
    const Outcome outcome = co_await run_round(chore);
    rounds.end();
    if (outcome == Outcome::finished) success.set(unix_seconds());
    if (outcome == Outcome::failed) failures.add();
    co_await runtime::sleep_for(outcome == Outcome::finished     ? chore.interval
                                : outcome == Outcome::unfinished ? chore.pause
                                                                 : chore.retry);
  }
}

}  // namespace shopbell::app
