// Retries of writes: the pause before the next attempt, and the loop around a decision that found
// what it was based on stale.
#pragma once

#include <optional>
#include <string>
#include <type_traits>

#include <boost/asio/awaitable.hpp>

#include "base/limits.h"
#include "base/problem.h"

namespace shopbell::operations {

// Waits after failed attempt number `attempt`, from 1: longer each time, with jitter.
boost::asio::awaitable<void> pause_before_retry(int attempt);

// Repeats attempt(stale) while it throws Stale: the write's decision found that cached definitions,
// or rows read before the write, are out of date. `stale` is empty for the first attempt, then what
// the last one threw. After limits::kWriteAttempts throws a Problem with the detail `refusal`.
template <class Stale, class Attempt>
auto while_stale(Attempt attempt, std::string refusal)
    -> std::invoke_result_t<Attempt&, const std::optional<Stale>&> {
  std::optional<Stale> stale;
  for (int number = 0; number < limits::kWriteAttempts; ++number) {
    try {
      co_return co_await attempt(stale);
    } catch (const Stale& found) {
      stale = found;
    }
  }
  throw Problem{Code::unavailable, std::move(refusal)};
}

}  // namespace shopbell::operations
