// Connection: one client connection. It reads requests, passes them to the pipeline one by one, and
// writes the responses in order. Clients that exceed a time limit are disconnected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/limits.h"
#include "http/server/address_limit.h"
#include "http/server/pipeline.h"
#include "http/server/tls.h"
#include "runtime/wait.h"

namespace shopbell::http {

namespace asio = boost::asio;

// Options of a listener. Without `tls` it serves plain HTTP.
struct ListenerOptions {
  const Tls* tls = nullptr;
  std::vector<std::string> trusted_proxies;  // addresses and networks, see client_address.h
  AddressLimit* connections = nullptr;       // null: no limit per address
};

class Connection {
 public:
  virtual ~Connection() = default;

  // Runs until the connection ends.
  virtual asio::awaitable<void> run() = 0;

  // Enforces the time limits. The server calls this periodically.
  void check(runtime::Steady::time_point now);

  // Closes the connection after its next response, or at `until` if it is idle.
  void drain(runtime::Steady::time_point until) { drain_until_ = until; }

 protected:
  Connection() { expect_within(limits::kIdleTimeout); }

  virtual void cut() = 0;
  virtual void stop_waiting() = 0;  // cancels the pending read
  virtual bool has_unread() = 0;    // true if the kernel's receive buffer has bytes

  void expect_within(runtime::Steady::duration duration) {
    expires_ = runtime::Steady::now() + duration;
  }
  bool is_draining() const { return drain_until_ != runtime::Steady::time_point::max(); }

  runtime::Steady::time_point expires_;
  runtime::Steady::time_point drain_until_ = runtime::Steady::time_point::max();
  bool idle_ = true;            // no request is being read or answered
  bool awaits_upload_ = false;  // a handler waits for the body, and can still respond
};

// The peer's address; empty if it has already disconnected.
std::string peer_of(const asio::ip::tcp::socket& socket);

// The arguments passed by reference must outlive the connection.
std::unique_ptr<Connection> make_connection(Pipeline& pipeline, const ListenerOptions& options,
                                            asio::ip::tcp::socket socket, std::string peer);

}  // namespace shopbell::http
