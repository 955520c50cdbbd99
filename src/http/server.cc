#include "http/server.h"

#include <array>
#include <concepts>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/limits.h"
#include "http/client_address.h"
#include "http/parser.h"
#include "http/wire.h"
#include "observe/log.h"
#include "runtime/wait.h"

namespace shopbell::http {

using asio::ip::tcp;
using boost::system::error_code;
using runtime::Steady;

namespace {

class PlainStream {
 public:
  explicit PlainStream(tcp::socket socket) : socket_{std::move(socket)} {}

  tcp::socket& socket() { return socket_; }
  asio::awaitable<std::size_t> read_some(asio::mutable_buffer buffer, error_code& error) {
    return socket_.async_read_some(buffer, asio::redirect_error(asio::use_awaitable, error));
  }
  asio::awaitable<std::size_t> write(asio::const_buffer bytes, error_code& error) {
    return asio::async_write(socket_, bytes, asio::redirect_error(asio::use_awaitable, error));
  }
  void say_goodbye() {}

 private:
  tcp::socket socket_;
};

std::string peer_of(const tcp::socket& socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  if (error) return {};  // gone already
  if (endpoint.address().is_v4()) return endpoint.address().to_string();
  asio::ip::address_v6 address = endpoint.address().to_v6();
  address.scope_id(0);
  return normal_address(address.to_string());
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

class Server::Connection {
 public:
  explicit Connection(Server& server) : server_{server} { expect_within(limits::kIdleTimeout); }
  virtual ~Connection() = default;

  virtual asio::awaitable<void> run() = 0;

  // Called by the server's sweep: whoever is slower than a limit allows is cut off.
  void check(Steady::time_point now) {
    const bool idle_at_the_end = server_.draining_ && idle_ && now >= drain_until_;
    if (now < expires_ && !idle_at_the_end) return;
    // A request that has come and was not read yet is accepted: its turn on the loop is next.
    if (idle_ && has_unread()) return;
    cut();
  }

  void drain(Steady::time_point until) { drain_until_ = until; }

 protected:
  virtual void cut() = 0;
  virtual bool has_unread() = 0;  // bytes that the kernel holds for it

  void expect_within(Steady::duration duration) { expires_ = Steady::now() + duration; }

  Server& server_;
  Steady::time_point expires_;
  Steady::time_point drain_until_ = Steady::time_point::max();
  bool idle_ = true;  // nothing of a request was read and no answer is under way
};

// The stream is a template's parameter so that nothing stands between a plain connection and its
// socket.
template <class Stream>
class Server::ConnectionOver final : public Connection {
 public:
  template <class... More>
  ConnectionOver(Server& server, tcp::socket socket, const More&... more)
      : Connection{server}, peer_{peer_of(socket)}, stream_{std::move(socket), more...} {
    error_code ignored;
    stream_.socket().set_option(tcp::no_delay{true}, ignored);
  }

  asio::awaitable<void> run() override {
    bool more = true;
    if constexpr (std::same_as<Stream, TlsStream>) more = co_await shake_hands();
    while (more) more = co_await serve_one();
    co_await linger();
    error_code ignored;
    stream_.socket().close(ignored);
  }

 private:
  void cut() override {
    if (idle_) stream_.say_goodbye();
    error_code ignored;
    stream_.socket().close(ignored);
  }

  bool has_unread() override {
    error_code error;
    return stream_.socket().available(error) > 0;
  }

  asio::awaitable<bool> shake_hands() {
    expect_within(limits::kHeadTimeout);
    const TlsStream::Handshake outcome = co_await stream_.handshake();
    if (outcome == TlsStream::Handshake::plain_http) co_await refuse_plain_http();
    expect_within(limits::kIdleTimeout);
    co_return outcome == TlsStream::Handshake::done;
  }

  // An `s` is missing in somebody's configuration, most likely: said in the language they speak.
  asio::awaitable<void> refuse_plain_http() {
    Request request{.target = "/", .remote_address = peer_};
    request.fault = Problem{Code::malformed_request, "This port speaks TLS: use https://."};
    Response response = co_await server_.pipeline_.serve(request);
    response.close = true;
    const std::string wire = to_wire(response, false);
    error_code ignored;
    co_await asio::async_write(stream_.socket(), asio::buffer(wire),
                               asio::redirect_error(asio::use_awaitable, ignored));
  }

  // Reads one request and answers it. False when the connection is to end.
  asio::awaitable<bool> serve_one() {
    Parser parser{[this](Method method, std::string_view target) {
      return server_.pipeline_.body_limit(method, target);
    }};
    if (!co_await read_into(parser)) co_return false;
    Request request = parser.take();
    request.remote_address = client_of(request);
    expires_ = Steady::time_point::max();  // the pipeline has its own deadline
    idle_ = false;
    Response response = co_await server_.pipeline_.serve(request);
    response.close = response.close || server_.draining_;
    const std::string wire = to_wire(response, request.method == Method::head);
    expect_within(limits::kWriteTimeout);
    error_code error;
    co_await stream_.write(asio::buffer(wire), error);
    if (response.stream && request.method != Method::head && !error &&
        !co_await write_stream(*response.stream))
      co_return false;
    idle_ = true;
    expect_within(limits::kIdleTimeout);
    co_return !error && !response.close;
  }

  // A block at a time, each within the limit for a client that does not read. False when not all
  // of it went out.
  asio::awaitable<bool> write_stream(BodyStream& body) {
    std::uint64_t left = body.size();
    try {
      while (left > 0) {
        expires_ = Steady::time_point::max();  // reading it is not the client's time
        const std::string block = co_await body.read();
        if (block.empty() || block.size() > left) co_return false;
        expect_within(limits::kWriteTimeout);
        error_code error;
        co_await stream_.write(asio::buffer(block), error);
        if (error) co_return false;
        left -= block.size();
      }
      co_return true;
    } catch (const std::exception& error) {
      observe::log(observe::Level::warn, "an answer was cut off", {{"why", error.what()}});
      co_return false;
    }
  }

  std::string client_of(const Request& request) const {
    const auto& trusted = server_.door_.trusted_proxies;
    if (trusted.empty()) return peer_;
    std::vector<std::string_view> forwarded;
    for (const auto& [name, value] : request.headers)
      if (name == "x-forwarded-for") forwarded.push_back(value);
    return client_address(peer_, trusted, forwarded);
  }

  asio::awaitable<bool> read_into(Parser& parser) {
    bool started = false;
    bool in_body = false;
    while (true) {
      error_code error;
      if (unread_ < buffered_) {
        unread_ += parser.feed(std::string_view{buffer_}.substr(unread_, buffered_ - unread_));
        if (!std::exchange(started, true)) {
          idle_ = false;
          expect_within(limits::kHeadTimeout);
        }
        if (parser.head_done() && !std::exchange(in_body, true)) {
          expect_within(limits::kBodyTimeout);
          if (unread_ == buffered_ && parser.awaits_continue())
            co_await stream_.write(asio::buffer(kContinue), error);
        }
      }
      if (parser.done()) co_return true;
      if (error) co_return false;
      make_room();
      buffered_ += co_await stream_.read_some(
          asio::buffer(buffer_.data() + buffered_, buffer_.size() - buffered_), error);
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
    if (idle_) stream_.say_goodbye();
    error_code error;
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    idle_ = false;
    expect_within(limits::kLingerTimeout);
    std::array<char, 4096> ignored;
    for (std::size_t taken = 0; !error && taken < limits::kBodyBytes;) {
      taken += co_await stream_.socket().async_read_some(
          asio::buffer(ignored), asio::redirect_error(asio::use_awaitable, error));
    }
  }

  static constexpr std::size_t kFirstBuffer = 2048;

  const std::string peer_;
  Stream stream_;
  std::string buffer_;
  std::size_t unread_ = 0;    // first byte the parser has not taken
  std::size_t buffered_ = 0;  // end of what was read
};

Server::Server(asio::io_context& loop, tcp::acceptor acceptor, Pipeline pipeline,
               observe::Metrics& metrics, Door door)
    : loop_{loop},
      acceptor_{std::move(acceptor)},
      pipeline_{std::move(pipeline)},
      door_{std::move(door)},
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
  std::unique_ptr<Connection> connection;
  if (door_.tls == nullptr) {
    connection = std::make_unique<ConnectionOver<PlainStream>>(*this, std::move(socket));
  } else {
    connection = std::make_unique<ConnectionOver<TlsStream>>(*this, std::move(socket), *door_.tls);
  }
  const auto place = connections_.insert(connections_.end(), std::move(connection));
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
