// SideThread: a loop and a thread of their own for work that no request may have to wait for.
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

  // Begins to run what was put on the loop.
  void start();
  // Runs `ending` on the loop, then calls `stopped`, on whatever thread; at once when it never
  // started.
  void stop(boost::asio::awaitable<void> ending, std::function<void()> stopped);
  // Ends the thread, whatever it still does. What it waited for must have ended before the object
  // does: the storage above all.
  void join();

 private:
  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  std::thread thread_;
};

}  // namespace shopbell::app
