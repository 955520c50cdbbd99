#include "http/server.h"

#include <array>
#include <charconv>
#include <ctime>
#include <format>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/limits.h"
#include "http/parser.h"
#include "observe/log.h"
#include "runtime/wait.h"

namespace shopbell::http {

using asio::ip::tcp;
using boost::system::error_code;
using runtime::Steady;

namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
    case 503:
      return "Service Unavailable";
    default:
      return status < 400 ? "OK" : status < 500 ? "Client Error" : "Server Error";
  }
}

// "Sun, 15 Nov 2026 02:04:25 GMT", made once a second per thread.
std::string_view http_date() {
  thread_local std::time_t made_for = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != made_for) {
    made_for = now;
    text = std::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                       std::chrono::sys_seconds{std::chrono::seconds{now}});
  }
  return text;
}

void append_header(std::string& wire, std::string_view name, std::string_view value) {
  wire.append(name).append(": ").append(value).append("\r\n");
}

std::string to_wire(const Response& response, bool head_only) {
  std::string wire;
  wire.reserve(512 + response.body.size());
  wire.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  wire.append(reason_of(response.status)).append("\r\n");
  append_header(wire, "Date", http_date());
  for (const auto& [name, value] : response.headers) append_header(wire, name, value);
  if (!response.content_type.empty()) append_header(wire, "Content-Type", response.content_type);
  const bool bodiless = response.status == 204 || response.status == 304;
  if (!bodiless) append_header(wire, "Content-Length", std::to_string(response.body.size()));
  if (response.close) append_header(wire, "Connection", "close");
  wire.append("\r\n");
  if (!bodiless && !head_only) wire.append(response.body);
  return wire;
}

}  // namespace

tcp::acceptor listen(asio::io_context& loop, const tcp::endpoint& endpoint) {
  using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;
  tcp::acceptor acceptor{loop};
  acceptor.open(endpoint.protocol());
  acceptor.set_option(tcp::acceptor::reuse_address{true});
  acceptor.set_option(ReusePort{true});
  acceptor.bind(endpoint);
  acceptor.listen(4096);
  return acceptor;
}

class Server::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server& server, tcp::socket socket) : server_{server}, socket_{std::move(socket)} {
    error_code ignored;
    socket_.set_option(tcp::no_delay{true}, ignored);
    expect_within(limits::kIdleTimeout);
  }

  asio::awaitable<void> run() {
    bool more = true;
    while (more) more = co_await serve_one();
    co_await linger();
    socket_.close();
  }

  // Called by the server's sweep: whoever is slower than a limit allows is cut off.
  void check(Steady::time_point now) {
    const bool idle_at_the_end = server_.draining_ && idle_ && now >= drain_until_;
    if (now >= expires_ || idle_at_the_end) {
      error_code ignored;
      socket_.close(ignored);
    }
  }

  void drain(Steady::time_point until) { drain_until_ = until; }

 private:
  void expect_within(Steady::duration duration) { expires_ = Steady::now() + duration; }

  // Reads one request and answers it. False when the connection is to end.
  asio::awaitable<bool> serve_one() {
    Parser parser;
    if (!co_await read_into(parser)) co_return false;
    const Request request = parser.take();
    expires_ = Steady::time_point::max();  // the pipeline has its own deadline
    idle_ = false;
    Response response = co_await server_.pipeline_.serve(request);
    response.close = response.close || server_.draining_;
    const std::string wire = to_wire(response, request.method == Method::head);
    expect_within(limits::kWriteTimeout);
    error_code error;
    co_await asio::async_write(socket_, asio::buffer(wire),
                               asio::redirect_error(asio::use_awaitable, error));
    idle_ = true;
    expect_within(limits::kIdleTimeout);
    co_return !error && !response.close;
  }

  asio::awaitable<bool> read_into(Parser& parser) {
    bool started = false;
    bool in_body = false;
    while (true) {
      if (unread_ < buffered_) {
        unread_ += parser.feed(std::string_view{buffer_}.substr(unread_, buffered_ - unread_));
        if (!std::exchange(started, true)) {
          idle_ = false;
          expect_within(limits::kHeadTimeout);
        }
        if (parser.head_done() && !std::exchange(in_body, true))
          expect_within(limits::kBodyTimeout);
      }
      if (parser.done()) co_return true;
      make_room();
      error_code error;
      buffered_ += co_await socket_.async_read_some(
          asio::buffer(buffer_.data() + buffered_, buffer_.size() - buffered_),
          asio::redirect_error(asio::use_awaitable, error));
      if (error) co_return false;
    }
  }

  // What the parser has not taken yet moves to the front. It grows only for a head that does not
  // fit, and the parser bounds that.
  void make_room() {
    if (unread_ > 0) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(unread_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_), buffer_.begin());
      buffered_ -= std::exchange(unread_, 0);
    }
    if (buffer_.empty()) buffer_.resize(kFirstBuffer);
    if (buffered_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  }

  // Closing with unread bytes would reset the connection and could destroy the answer on its way:
  // say goodbye first and read on for a moment.
  asio::awaitable<void> linger() {
    error_code error;
    socket_.shutdown(tcp::socket::shutdown_send, error);
    idle_ = false;
    expect_within(std::chrono::seconds{2});
    std::array<char, 4096> ignored;
    for (std::size_t taken = 0; !error && taken < limits::kBodyBytes;) {
      taken += co_await socket_.async_read_some(asio::buffer(ignored),
                                                asio::redirect_error(asio::use_awaitable, error));
    }
  }

  static constexpr std::size_t kFirstBuffer = 2048;

  Server& server_;
  tcp::socket socket_;
  std::string buffer_;
  std::size_t unread_ = 0;    // first byte the parser has not taken
  std::size_t buffered_ = 0;  // end of what was read
  Steady::time_point expires_;
  Steady::time_point drain_until_ = Steady::time_point::max();
  bool idle_ = true;
};

Server::Server(asio::io_context& loop, tcp::acceptor acceptor, Pipeline pipeline,
               observe::Metrics& metrics)
    : loop_{loop},
      acceptor_{std::move(acceptor)},
      pipeline_{std::move(pipeline)},
      open_{metrics.gauge("shopbell_open_connections", "Client connections that stand.")} {}

Server::~Server() = default;

void Server::start() {
  asio::co_spawn(loop_, accept(), asio::detached);
  asio::co_spawn(loop_, sweep(), asio::detached);
}

asio::awaitable<void> Server::accept() {
  while (acceptor_.is_open()) {
    error_code error;
    tcp::socket socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (!error && connections_.size() < limits::kConnectionsPerLoop) {
      take(std::move(socket));
    } else if (error && error != asio::error::operation_aborted) {
      // Out of descriptors, most likely: trying again at once would only burn the processor.
      observe::log(observe::Level::warn, "cannot accept", {{"why", error.message()}});
      co_await runtime::sleep_for(std::chrono::milliseconds{100});
    }
  }
}

void Server::take(tcp::socket socket) {
  const auto place = connections_.insert(connections_.end(),
                                         std::make_shared<Connection>(*this, std::move(socket)));
  open_.add(1);
  asio::co_spawn(loop_, (*place)->run(), [this, place](std::exception_ptr) {
    connections_.erase(place);
    open_.add(-1);
  });
}

asio::awaitable<void> Server::sweep() {
  while (true) {
    co_await runtime::sleep_for(limits::kSweepInterval);
    const auto now = Steady::now();
    for (const auto& connection : connections_) connection->check(now);
  }
}

asio::awaitable<void> Server::drain() {
  error_code error;
  acceptor_.non_blocking(true);
  while (true) {
    tcp::socket socket{loop_};
    acceptor_.accept(socket, error);
    if (error) break;
    take(std::move(socket));
  }
  acceptor_.close(error);
  draining_ = true;
  const auto until = Steady::now() + limits::kDrainIdle;
  for (const auto& connection : connections_) connection->drain(until);
  while (!connections_.empty()) co_await runtime::sleep_for(std::chrono::milliseconds{20});
}

}  // namespace shopbell::http
