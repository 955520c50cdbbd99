#include "app/service/chore.h"

#include <chrono>

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

boost::asio::awaitable<void> repeat(Chore chore, observe::Metrics& metrics) {
  observe::Gauge& success = metrics.gauge(
      "shopbell_upkeep_success_seconds",
      "Unix time at which the chore last had no work left; at first the start of the process.",
      {{"chore", chore.name}});
  observe::Counter& failures = metrics.counter(
      "shopbell_upkeep_failures_total", "Failed rounds of a chore.", {{"chore", chore.name}});
  success.set(unix_seconds());
  while (true) {
    const Outcome outcome = co_await run_round(chore);
    if (outcome == Outcome::finished) success.set(unix_seconds());
    if (outcome == Outcome::failed) failures.add();
    co_await runtime::sleep_for(outcome == Outcome::finished     ? chore.interval
                                : outcome == Outcome::unfinished ? chore.pause
                                                                 : chore.retry);
  }
}

}  // namespace shopbell::app
