// Server: one loop's sockets. It accepts, reads requests, hands them to the pipeline one after the
// other and writes the answers in order. Each loop has its own Server on the same port
// (SO_REUSEPORT).
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "http/pipeline.h"
#include "http/tls.h"
#include "observe/metrics.h"

namespace shopbell::http {

namespace asio = boost::asio;

// Opens a listening socket; port 0 takes a free one. Throws boost::system::system_error.
asio::ip::tcp::acceptor listen(asio::io_context& loop, const asio::ip::tcp::endpoint& endpoint);

// How a Server meets its callers. Without `tls` it speaks plain HTTP.
struct Door {
  const Tls* tls = nullptr;
  std::vector<std::string> trusted_proxies;  // addresses and networks, see client_address.h
};

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
  class Connection;
  template <class Stream>
  class ConnectionOver;

  asio::awaitable<void> accept();
  asio::awaitable<void> sweep();
  void take(asio::ip::tcp::socket socket);

  asio::io_context& loop_;
  asio::ip::tcp::acceptor acceptor_;
  Pipeline pipeline_;
  const Door door_;
  observe::Gauge& open_;
  std::list<std::unique_ptr<Connection>> connections_;
  bool draining_ = false;
};

}  // namespace shopbell::http
