// SideThread: a loop with its own thread, for work that must not delay requests.
#pragma once

#include <functional>
#include <thread>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

namespace shopbell::app {

class SideThread {
 public:
  SideThread() = default;
  ~SideThread() { join(); }
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  boost::asio::io_context& loop() { return loop_; }

  // Starts the thread, which runs the loop.
  void start();
  // Runs `ending` on the loop, then calls `stopped`, on any thread. If the thread was never
  // started, calls `stopped` at once.
  void stop(boost::asio::awaitable<void> ending, std::function<void()> stopped);
  // Stops the loop and joins the thread, even if work is left. Destroy objects whose threads post
  // to this loop, such as the storage, before this object.
  void join();

 private:
  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  std::thread thread_;
};

}  // namespace shopbell::app
