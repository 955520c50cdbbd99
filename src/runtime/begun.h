// Begun: work that begins at once and whose end is waited for later.
#pragma once

#include <exception>

#include "runtime/wait.h"

namespace shopbell::runtime {

// Runs on the loop of whoever began it, and is always waited for before this goes.
class Begun {
 public:
  Begun(const asio::any_io_executor& executor, asio::awaitable<void> work);
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;

  asio::awaitable<void> end();  // throws what the work did

 private:
  Bell bell_;
  bool ended_ = false;
  std::exception_ptr failure_;
};

}  // namespace shopbell::runtime
