// Connection: one client. It reads requests, hands them to the pipeline one after the other and
// writes the answers in order. Whoever is slower than a limit allows is cut off.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/limits.h"
#include "http/server/pipeline.h"
#include "http/server/tls.h"
#include "runtime/wait.h"

namespace shopbell::http {

namespace asio = boost::asio;

// How a server meets its callers. Without `tls` it speaks plain HTTP.
struct Door {
  const Tls* tls = nullptr;
  std::vector<std::string> trusted_proxies;  // addresses and networks, see client_address.h
};

class Connection {
 public:
  virtual ~Connection() = default;

  // Until it ends.
  virtual asio::awaitable<void> run() = 0;

  // Called again and again by whoever holds it: keeps the limits of time.
  void check(runtime::Steady::time_point now);

  // The next answer is the last; one without a request ends then.
  void drain(runtime::Steady::time_point until) { drain_until_ = until; }

 protected:
  Connection() { expect_within(limits::kIdleTimeout); }

  virtual void cut() = 0;
  virtual void stop_waiting() = 0;  // for bytes; what was to be read fails
  virtual bool has_unread() = 0;    // bytes that the kernel holds for it

  void expect_within(runtime::Steady::duration duration) {
    expires_ = runtime::Steady::now() + duration;
  }
  bool is_draining() const { return drain_until_ != runtime::Steady::time_point::max(); }

  runtime::Steady::time_point expires_;
  runtime::Steady::time_point drain_until_ = runtime::Steady::time_point::max();
  bool idle_ = true;            // nothing of a request was read and no answer is under way
  bool awaits_upload_ = false;  // a handler waits for more of a body, and can still answer
};

// What it refers to must outlive it.
std::unique_ptr<Connection> make_connection(Pipeline& pipeline, const Door& door,
                                            asio::ip::tcp::socket socket);

}  // namespace shopbell::http
