#include "runtime/loops.h"

#include <boost/asio/executor_work_guard.hpp>

namespace shopbell::runtime {

Loops::Loops(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    contexts_.push_back(std::make_unique<asio::io_context>(1));
  }
}

Loops::~Loops() { stop(); }

void Loops::run() {
  const auto run_one = [](asio::io_context& context) {
    const auto work = asio::make_work_guard(context);
    context.run();
  };
  for (std::size_t i = 1; i < contexts_.size(); ++i) {
    threads_.emplace_back([&context = *contexts_[i], run_one] { run_one(context); });
  }
  run_one(*contexts_.front());
  threads_.clear();  // joins the threads
}

void Loops::stop() {
  for (const auto& context : contexts_) context->stop();
}

}  // namespace shopbell::runtime
