// Line: a connection to a relay, plain or with TLS. Every wait has a timeout.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/ip.h"
#include "net/smtp/reply.h"

namespace shopbell::net::smtp {

namespace asio = boost::asio;

// The connection cannot be used any more; says why in a sentence part such as "connection refused".
class LineLost : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// True if a connection to the address is allowed.
using Permits = std::function<bool(const Ip&)>;

class Line {
 public:
  using Duration = std::chrono::steady_clock::duration;

  explicit Line(const asio::any_io_executor& executor);
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // All functions throw LineLost, read_reply() also BadReply. Afterwards the line is closed.
  asio::awaitable<void> connect(std::string host, std::uint16_t port, Permits permits,
                                Duration time);
  // Verifies the certificate for the host.
  asio::awaitable<void> start_tls(asio::ssl::context& context, std::string host, Duration time);
  asio::awaitable<void> write(std::string_view bytes, Duration time);
  asio::awaitable<Reply> read_reply(Duration time);

  bool has_tls() const { return tls_ != nullptr; }
  // True if the relay has sent more than was read.
  bool has_unread() const { return replies_.has_rest(); }
  void close();

 private:
  using Socket = asio::ip::tcp::socket;

  // Closes the line when the time has passed, until stop() is called.
  class Watch;

  [[noreturn]] void lose(const boost::system::error_code& error);

  const std::shared_ptr<Socket> socket_;
  const std::shared_ptr<bool> is_late_;  // a timeout closed the line
  asio::steady_timer timer_;
  std::unique_ptr<asio::ssl::stream<Socket&>> tls_;
  ReplyReader replies_;
};

}  // namespace shopbell::net::smtp
