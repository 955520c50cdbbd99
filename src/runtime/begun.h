// Begun: a coroutine that starts at once and is awaited later.
#pragma once

#include <exception>

#include "runtime/wait.h"

namespace shopbell::runtime {

// The work runs on the given executor. Await end() before destroying the object.
class Begun {
 public:
  Begun(const asio::any_io_executor& executor, asio::awaitable<void> work);
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;

  asio::awaitable<void> end();  // rethrows an exception of the work

 private:
  Bell bell_;
  bool ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace shopbell::runtime
