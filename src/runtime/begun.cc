#include "runtime/begun.h"

#include <utility>

namespace shopbell::runtime {

Begun::Begun(const asio::any_io_executor& executor, asio::awaitable<void> work) : bell_{executor} {
  asio::co_spawn(executor, std::move(work), [this](std::exception_ptr failure) {
    failure_ = std::move(failure);
    ended_ = true;
    bell_.ring();
  });
}

asio::awaitable<void> Begun::end() {
  if (!ended_) co_await bell_.wait();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace shopbell::runtime
