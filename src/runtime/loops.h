// Loops: one event loop per thread, sharing nothing. What is made on a loop stays on it, so there
// are no locks on the way of a request.
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

  // Runs every loop until stop(); the first on the calling thread.
  void run();
  // From any thread: the loops end, whatever they still hold is dropped.
  void stop();

 private:
  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<std::jthread> threads_;
};

}  // namespace shopbell::runtime
