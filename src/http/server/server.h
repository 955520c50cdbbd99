// Server: one loop's sockets. It accepts connections and keeps an eye on their limits of time. Each
// loop has its own Server on the same port (SO_REUSEPORT).
#pragma once

#include <list>
#include <memory>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "http/server/connection.h"
#include "http/server/pipeline.h"
#include "observe/metrics.h"

namespace shopbell::http {

// Opens a listening socket; port 0 takes a free one. Throws boost::system::system_error.
asio::ip::tcp::acceptor listen(asio::io_context& loop, const asio::ip::tcp::endpoint& endpoint);

class Server {
 public:
  Server(asio::io_context& loop, asio::ip::tcp::acceptor acceptor, Pipeline pipeline,
         observe::Metrics& metrics, Door door = {});
  ~Server();

  void start();

  // Takes what is already waiting, closes the port, then lets every connection finish: requests
  // under way and those that still arrive within `limits::kDrainIdle` are answered, with
  // `Connection: close`. Returns when none is left.
  asio::awaitable<void> drain();

 private:
  asio::awaitable<void> accept();
  asio::awaitable<void> sweep();
  void take(asio::ip::tcp::socket socket);

  asio::io_context& loop_;
  asio::ip::tcp::acceptor acceptor_;
  Pipeline pipeline_;
  const Door door_;
  observe::Gauge& open_;
  std::list<std::unique_ptr<Connection>> connections_;
  std::optional<runtime::Steady::time_point> drain_until_;  // once the process is to stop
};

}  // namespace shopbell::http
