#include "net/smtp/line.h"

#include <array>
#include <format>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <openssl/ssl.h>

namespace shopbell::net::smtp {

using asio::ip::tcp;
using boost::system::error_code;

class Line::Watch {
 public:
  Watch(Line& line, Duration time) : timer_{line.timer_} {
    timer_.expires_after(time);
    timer_.async_wait([socket = line.socket_, is_late = line.is_late_](const error_code& error) {
      if (error) return;
      *is_late = true;
      error_code ignored;
      socket->close(ignored);
    });
  }
  ~Watch() { timer_.cancel(); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  asio::steady_timer& timer_;
};

Line::Line(const asio::any_io_executor& executor)
    : socket_{std::make_shared<Socket>(executor)},
      is_late_{std::make_shared<bool>(false)},
      timer_{executor} {}

Line::~Line() { close(); }

void Line::close() {
  error_code ignored;
  socket_->close(ignored);
}

void Line::lose(const error_code& error) {
  close();
  if (*is_late_) throw LineLost{"the relay did not answer in time"};
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
    throw LineLost{"the relay closed the connection"};
  throw LineLost{error.message()};
}

asio::awaitable<void> Line::connect(std::string host, std::uint16_t port, Permits permits,
                                    Duration time) {
  const Watch watch{*this, time};
  error_code error;
  tcp::resolver resolver{socket_->get_executor()};
  const auto found = co_await resolver.async_resolve(
      host, std::to_string(port), asio::redirect_error(asio::use_awaitable, error));
  if (error) lose(error);
  // A name with any address that is not allowed is refused as a whole.
  for (const auto& entry : found) {
    const auto address = Ip::parse(entry.endpoint().address().to_string());
    if (permits && !(address && permits(*address))) {
      close();
      throw LineLost{std::format("{} has an address that is not allowed", host)};
    }
  }
  error = asio::error::host_not_found;
  for (const auto& entry : found) {
    if (*is_late_) break;
    error_code ignored;
    socket_->close(ignored);
    co_await socket_->async_connect(entry.endpoint(),
                                    asio::redirect_error(asio::use_awaitable, error));
    if (!error) break;
  }
  if (error || *is_late_) lose(error);
  // Commands are small and wait for their replies: Nagle's algorithm would delay them.
  socket_->set_option(tcp::no_delay{true}, error);
}

asio::awaitable<void> Line::start_tls(asio::ssl::context& context, std::string host,
                                      Duration time) {
  // Somebody between the relay and us could have sent these bytes before TLS.
  if (replies_.has_rest()) {
    close();
    throw LineLost{"the relay sent bytes before TLS began"};
  }
  tls_ = std::make_unique<asio::ssl::stream<Socket&>>(*socket_, context);
  tls_->set_verify_mode(asio::ssl::verify_peer);
  tls_->set_verify_callback(asio::ssl::host_name_verification{host});
  SSL_set_tlsext_host_name(tls_->native_handle(), host.c_str());
  const Watch watch{*this, time};
  error_code error;
  co_await tls_->async_handshake(asio::ssl::stream_base::client,
                                 asio::redirect_error(asio::use_awaitable, error));
  if (error) lose(error);
}

asio::awaitable<void> Line::write(std::string_view bytes, Duration time) {
  const Watch watch{*this, time};
  error_code error;
  auto token = asio::redirect_error(asio::use_awaitable, error);
  if (tls_) {
    co_await asio::async_write(*tls_, asio::buffer(bytes), token);
  } else {
    co_await asio::async_write(*socket_, asio::buffer(bytes), token);
  }
  if (error) lose(error);
}

asio::awaitable<Reply> Line::read_reply(Duration time) {
  const Watch watch{*this, time};
  std::array<char, 4'096> block;
  while (true) {
    std::optional<Reply> reply;
    try {
      reply = replies_.next();
    } catch (const BadReply&) {
      close();
      throw;
    }
    if (reply) co_return std::move(*reply);
    error_code error;
    auto token = asio::redirect_error(asio::use_awaitable, error);
    const std::size_t size = tls_ ? co_await tls_->async_read_some(asio::buffer(block), token)
                                  : co_await socket_->async_read_some(asio::buffer(block), token);
    if (error) lose(error);
    replies_.add({block.data(), size});
  }
}

}  // namespace shopbell::net::smtp
