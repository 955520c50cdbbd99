#include "mail/claim_loop.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/limits.h"
#include "observe/log.h"
#include "resources/messages/message_claims.h"

namespace shopbell::mail {

namespace {

constexpr auto kOverlap = std::chrono::minutes{1};
constexpr auto kSweepInterval = std::chrono::seconds{30};

}  // namespace

ClaimLoop::ClaimLoop(boost::asio::io_context& loop, pg::Pool& database,
                     const keyring::Keyring& keyring, observe::Metrics& metrics)
    : loop_{loop},
      database_{database},
      keyring_{keyring},
      wake_{loop.get_executor()},
      ended_{loop.get_executor()},
      ended_total_{metrics.counter("shopbell_messages_ended_total",
                                   "Messages whose outcome this process decided.")} {}

void ClaimLoop::start() {
  running_ = true;
  boost::asio::co_spawn(loop_, run(), boost::asio::detached);
}

boost::asio::awaitable<void> ClaimLoop::stop() {
  stopping_ = true;
  wake_.ring();
  if (running_) co_await ended_.wait_for(limits::kLogTransaction);
}

// A claim begins shortly before the last one; messages that were planned late are found by sweeps.
boost::asio::awaitable<messages::ClaimRound> ClaimLoop::claim() {
  const bool sweeps = runtime::Steady::now() >= sweep_at_;
  const messages::ClaimRound round =
      co_await messages::claim_due(database_, keyring_, sweeps ? Instant{} : since_);
  if (round.oldest) since_ = *round.oldest - kOverlap;
  if (sweeps && !round.oldest) sweep_at_ = runtime::Steady::now() + kSweepInterval;
  co_return round;
}

boost::asio::awaitable<void> ClaimLoop::run() {
  while (!stopping_) {
    std::string trouble;
    bool found = false;
    try {
      const messages::ClaimRound round = co_await claim();
      ended_total_.add(static_cast<double>(round.ended));
      found = round.looked_at > 0;
    } catch (const std::exception& error) {  // the next round tries again
      trouble = error.what();
    }
    if (!trouble.empty() && !is_failing_)
      observe::log(observe::Level::warn, "messages not claimed", {{"why", trouble}});
    if (trouble.empty() && is_failing_)
      observe::log(observe::Level::info, "messages claimed again");
    is_failing_ = !trouble.empty();
    if (found || stopping_) continue;
    co_await wake_.wait_for(is_failing_ ? limits::kLogPauseMost : limits::kClaimInterval);
  }
  running_ = false;
  ended_.ring();
}

}  // namespace shopbell::mail
