// Server: accepts connections on one loop and enforces their time limits. Each loop has its own
// Server on the same port (SO_REUSEPORT).
#pragma once

#include <list>
#include <memory>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "http/server/connection.h"
#include "http/server/pipeline.h"
#include "observe/metrics.h"

namespace shopbell::http {

// Opens a listening socket; port 0 means any free port. Throws boost::system::system_error.
asio::ip::tcp::acceptor listen(asio::io_context& loop, const asio::ip::tcp::endpoint& endpoint);

class Server {
 public:
  Server(asio::io_context& loop, asio::ip::tcp::acceptor acceptor, Pipeline pipeline,
         observe::Metrics& metrics, ListenerOptions options = {});
  ~Server();

  void start();

  // Accepts the connections already queued, closes the port, then lets every connection finish.
  // Requests in progress, and those that arrive within `limits::kDrainIdle`, get a response with
  // `Connection: close`. Returns once no connection is left.
  asio::awaitable<void> drain();

 private:
  asio::awaitable<void> accept();
  asio::awaitable<void> sweep();
  void take(asio::ip::tcp::socket socket);

  asio::io_context& loop_;
  asio::ip::tcp::acceptor acceptor_;
  Pipeline pipeline_;
  const ListenerOptions options_;
  observe::Gauge& open_;
  observe::Counter& refused_;
  std::list<std::unique_ptr<Connection>> connections_;
  std::optional<runtime::Steady::time_point> drain_until_;  // set during shutdown
};

}  // namespace shopbell::http
