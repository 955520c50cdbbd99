// Chore: a task that is repeated until the service stops. A failure of any kind is counted and
// logged, and the chore is tried again.
#pragma once

#include <functional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "observe/metrics.h"
#include "runtime/wait.h"

namespace shopbell::app {

struct Chore {
  std::string name;  // label of its metrics
  // Returns false if work is left when its time budget is used up. Then the next round, which
  // continues with the rest, follows after `pause`.
  std::function<boost::asio::awaitable<bool>()> round;
  runtime::Steady::duration interval;
  runtime::Steady::duration pause;
  runtime::Steady::duration retry;  // pause after a failure
};

// The rounds of chores that are under way. Everything runs on one loop.
class Rounds {
 public:
  // False after stop(): no round may begin.
  bool begin();
  void end();
  // A round that could go on for long should end.
  bool are_stopping() const { return stopping_; }
  // Calls `rested` once no round is under way. The connections of the chores can be closed then.
  void stop(std::function<void()> rested);

 private:
  int running_ = 0;
  bool stopping_ = false;
  std::function<void()> rested_;
};

// Returns after rounds.stop(). A chore succeeds when a round ends without work left; the metrics
// have the time of the last success, at first that of this call.
boost::asio::awaitable<void> repeat(Chore chore, observe::Metrics& metrics, Rounds& rounds);

}  // namespace shopbell::app
