// Loops: one event loop per thread; loops share nothing. An object stays on the loop that created
// it, so handling a request needs no locks.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>

namespace shopbell::runtime {

namespace asio = boost::asio;

class Loops {
 public:
  explicit Loops(std::size_t count);
  ~Loops();
  Loops(const Loops&) = delete;
  Loops& operator=(const Loops&) = delete;

  std::size_t size() const { return contexts_.size(); }
  asio::io_context& operator[](std::size_t index) { return *contexts_[index]; }

  // Runs all loops until stop(); the first one on the calling thread.
  void run();
  // Thread-safe. The loops end and drop all pending work.
  void stop();

 private:
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<std::jthread> threads_;
};

}  // namespace shopbell::runtime
