// Waiting in coroutines: for a time, or for a signal of another coroutine on the same loop. Also
// runs a coroutine to its end from ordinary code.
#pragma once

#include <chrono>
#include <exception>
#include <optional>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace shopbell::runtime {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;

asio::awaitable<void> sleep_for(Steady::duration duration);
// Lets other handlers of the loop run.
asio::awaitable<void> yield();

// A signal for one waiter on the same loop: wait() returns at the next ring(), or at once when
// ring() was called since the last wait().
class Bell {
 public:
  explicit Bell(const asio::any_io_executor& executor);
  void ring();
  asio::awaitable<void> wait();
  // Returns false when `duration` passes without a ring().
  asio::awaitable<bool> wait_for(Steady::duration duration);

 private:
  asio::steady_timer timer_;
  bool rung_ = false;
};

// Runs a coroutine to its end on a loop that is not running: for commands, start-up and tests.
inline void run_to_end(asio::io_context& context, asio::awaitable<void> work) {
  std::exception_ptr failure;
  context.restart();
  asio::co_spawn(context, std::move(work), [&](std::exception_ptr error) {
    failure = error;
    context.stop();
  });
  context.run();
  if (failure) std::rethrow_exception(failure);
}

template <class T>
asio::awaitable<void> keep_result(asio::awaitable<T> work, std::optional<T>& result) {
  result = co_await std::move(work);
}

template <class T>
T run_to_end(asio::io_context& context, asio::awaitable<T> work) {
  std::optional<T> result;
  run_to_end(context, keep_result(std::move(work), result));
  return std::move(*result);
}

}  // namespace shopbell::runtime
