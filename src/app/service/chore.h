// Chore: a task that is repeated until the loop ends. A failure of any kind is counted and logged,
// and the chore is tried again.
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

// Never returns. A chore succeeds when a round ends without work left; the metrics have the time of
// the last success, at first that of this call.
boost::asio::awaitable<void> repeat(Chore chore, observe::Metrics& metrics);

}  // namespace shopbell::app
