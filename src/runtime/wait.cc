#include "runtime/wait.h"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace shopbell::runtime {

asio::awaitable<void> sleep_for(Steady::duration duration) {
  asio::steady_timer timer{co_await asio::this_coro::executor, duration};
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> yield() { co_await asio::post(asio::use_awaitable); }

Bell::Bell(const asio::any_io_executor& executor) : timer_{executor} {}

void Bell::ring() {
  rung_ = true;
  timer_.cancel();
}

asio::awaitable<void> Bell::wait() {
  while (!rung_) {
    timer_.expires_at(Steady::time_point::max());
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  rung_ = false;
}

asio::awaitable<bool> Bell::wait_for(Steady::duration duration) {
  if (!rung_) {
    timer_.expires_after(duration);
    boost::system::error_code ignored;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  co_return std::exchange(rung_, false);
}

}  // namespace shopbell::runtime
