#include "app/service/side_thread.h"

#include <boost/asio/co_spawn.hpp>

namespace shopbell::app {

void SideThread::start() {
  thread_ = std::thread{[this] { loop_.run(); }};
}

void SideThread::stop(boost::asio::awaitable<void> ending, std::function<void()> stopped) {
  if (!thread_.joinable()) return stopped();
  boost::asio::co_spawn(loop_, std::move(ending),
                        [stopped = std::move(stopped)](const std::exception_ptr&) { stopped(); });
}

void SideThread::join() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace shopbell::app
