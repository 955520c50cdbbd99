#include "http/server/connection.h"

#include <array>
#include <concepts>
#include <format>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "base/ip.h"
#include "base/limits.h"
#include "http/wire/client_address.h"
#include "http/wire/parser.h"
#include "http/wire/wire.h"
#include "observe/log.h"

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
  void send_close_notify() {}

 private:
  tcp::socket socket_;
};

// The stream is a template parameter, so that plain connections use their socket directly.
template <class Stream>
class ConnectionOver final : public Connection {
 public:
  template <class... More>
  ConnectionOver(Pipeline& pipeline, const ListenerOptions& options, tcp::socket socket,
                 std::string peer, const More&... more)
      : pipeline_{pipeline},
        options_{options},
        peer_{std::move(peer)},
        stream_{std::move(socket), more...},
        buffer_memory_{pipeline.memory(), 0} {
    error_code ignored;
    stream_.socket().set_option(tcp::no_delay{true}, ignored);
  }

  asio::awaitable<void> run() override {
    bool more = true;
    if constexpr (std::same_as<Stream, TlsStream>) more = co_await tls_handshake();
    while (more) more = co_await serve_one();
    co_await linger();
    error_code ignored;
    stream_.socket().close(ignored);
  }

 private:
  void cut() override {
    if (idle_) stream_.send_close_notify();
    error_code ignored;
    stream_.socket().close(ignored);
  }

  void stop_waiting() override {
    error_code ignored;
    stream_.socket().cancel(ignored);
  }

  bool has_unread() override {
    error_code error;
    return stream_.socket().available(error) > 0;
  }

  asio::awaitable<bool> tls_handshake() {
    expect_within(limits::kHeadTimeout);
    const TlsStream::Handshake outcome = co_await stream_.handshake();
    if (outcome == TlsStream::Handshake::plain_http) co_await refuse_plain_http();
    expect_within(limits::kIdleTimeout);
    co_return outcome == TlsStream::Handshake::done;
  }

  // The client's URL probably lacks the `s` of https, so the response is in plain HTTP.
  asio::awaitable<void> refuse_plain_http() {
    Request request{.target = "/", .remote_address = peer_};
    request.fault = Problem{Code::malformed_request, "This port requires TLS. Use https://."};
    Response response = co_await pipeline_.serve(request);
    response.close = true;
    const std::string wire = to_wire(response, false);
    error_code ignored;
    co_await asio::async_write(stream_.socket(), asio::buffer(wire),
                               asio::redirect_error(asio::use_awaitable, ignored));
  }

  // Reads one request and responds. Returns false if the connection must end.
  asio::awaitable<bool> serve_one() {
    Parser parser{[this](Method method, std::string_view target) {
      return pipeline_.body_rule(method, target);
    }};
    if (!co_await read_head(parser)) co_return false;
    Source source{*this, parser};
    Request request = parser.take();
    request.remote_address = client_of(request);
    expires_ = Steady::time_point::max();  // the pipeline has its own deadline
    idle_ = false;
    Response response =
        co_await pipeline_.serve(request, parser.has_whole_body() ? nullptr : &source);
    if (!parser.done()) feed(parser);
    // The next request starts after the end of this body. Read a short rest of the body after the
    // response; close the connection if the rest is long.
    const bool rest_is_short =
        parser.body_left() ? *parser.body_left() <= limits::kUploadBlock : !parser.streams();
    const bool rest_comes = parser.done() || (rest_is_short && source.goes_on());
    response.close = response.close || is_draining() || !rest_comes || parser.body_fault();
    if (!co_await write_response(response, request.method == Method::head)) co_return false;
    if (!response.close && !co_await skip_body(parser)) co_return false;
    idle_ = true;
    expect_within(limits::kIdleTimeout);
    if (buffer_.size() > kFirstBuffer && unread_ == buffered_) {
      buffer_ = {};
      unread_ = buffered_ = 0;
      buffer_memory_.release();
    }
    co_return !response.close;
  }

  // The body of the current request, as the pipeline or a handler reads it. The client has
  // kBodyTimeout for all of it, or for every kUploadPace bytes of an upload; time that is spent on
  // received data does not count.
  class Source final : public BodySource {
   public:
    Source(ConnectionOver& connection, Parser& parser)
        : connection_{connection}, parser_{parser}, held_back_{parser.awaits_continue()} {}

    asio::awaitable<std::string> read() override {
      while (true) {
        connection_.feed(parser_);
        std::string block = parser_.take_body();
        if (!block.empty()) co_return block;
        if (const auto fault = parser_.body_fault()) throw *fault;
        if (parser_.done()) co_return block;
        if (std::exchange(held_back_, false)) co_await connection_.ask_for_body();
        co_await wait();
      }
    }

    // False if the client waits for 100 Continue, or has stopped sending: Asio does not report the
    // end of a stream to a second read.
    bool goes_on() const { return !held_back_ && !ended_; }

   private:
    asio::awaitable<void> wait() {
      const auto from = Steady::now();
      connection_.expect_within(left_);
      connection_.awaits_upload_ = parser_.streams();
      error_code error;
      came_ += co_await connection_.read_more(
          parser_.streams() ? limits::kUploadBlock : limits::kHeadFree, error);
      connection_.awaits_upload_ = false;
      connection_.expires_ = Steady::time_point::max();
      left_ -= Steady::now() - from;
      ended_ = static_cast<bool>(error);
      if (parser_.streams() && came_ >= limits::kUploadPace) {
        came_ = 0;
        left_ = limits::kBodyTimeout;
      }
      if (error == asio::error::no_buffer_space) throw no_memory_problem();
      if (error == asio::error::operation_aborted && parser_.streams())
        throw Problem{Code::upload_too_slow,
                      std::format("Fewer than {} bytes arrived within {} seconds.",
                                  limits::kUploadPace, limits::kBodyTimeout.count())};
      if (error)
        throw Problem{Code::malformed_request,
                      "The connection ended before the end of "
                      "the body."};
    }

    ConnectionOver& connection_;
    Parser& parser_;
    bool held_back_;  // the client sends no body until 100 Continue is sent
    bool ended_ = false;
    Steady::duration left_ = limits::kBodyTimeout;
    std::size_t came_ = 0;
  };

  // Returns false if the rest of the body does not arrive, or is long.
  asio::awaitable<bool> skip_body(Parser& parser) {
    expect_within(limits::kBodyTimeout);
    for (std::size_t came = 0; !parser.done();) {
      error_code error;
      came += co_await read_more(kFirstBuffer, error);
      if (error || came > 2 * limits::kUploadBlock) co_return false;
      feed(parser);
      parser.take_body();
    }
    co_return !parser.body_fault();
  }

  // Returns false if the response was not sent completely.
  asio::awaitable<bool> write_response(const Response& response, bool head_only) {
    const std::string wire = to_wire(response, head_only);
    expect_within(limits::kWriteTimeout);
    error_code error;
    co_await stream_.write(asio::buffer(wire), error);
    if (error) co_return false;
    if (head_only) co_return true;
    if (response.stream) co_return co_await write_stream(*response.stream);
    if (!is_joined(response)) co_await stream_.write(asio::buffer(response.text()), error);
    co_return !error;
  }

  // Writes block by block, each within the write timeout. Returns false if the body was not sent
  // completely.
  asio::awaitable<bool> write_stream(operations::BodyStream& body) {
    std::uint64_t left = body.size();
    try {
      while (left > 0) {
        expires_ = Steady::time_point::max();  // no timeout while the service reads a block
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
      observe::log(observe::Level::warn, "response aborted", {{"why", error.what()}});
      co_return false;
    }
  }

  std::string client_of(const Request& request) const {
    const auto& trusted = options_.trusted_proxies;
    if (trusted.empty()) return peer_;
    std::vector<std::string_view> forwarded;
    for (const auto& [name, value] : request.headers)
      if (name == "x-forwarded-for") forwarded.push_back(value);
    return client_address(peer_, trusted, forwarded);
  }

  asio::awaitable<bool> read_head(Parser& parser) {
    bool started = false;
    while (true) {
      if (feed(parser) && !std::exchange(started, true)) {
        idle_ = false;
        expect_within(limits::kHeadTimeout);
      }
      if (parser.head_done() || parser.done()) co_return true;
      error_code error;
      co_await read_more(kFirstBuffer, error);
      if (error == asio::error::no_buffer_space) {
        parser.refuse(no_memory_problem());
        co_return true;
      }
      if (error) co_return false;
    }
  }

  // Returns false if the buffer was empty.
  bool feed(Parser& parser) {
    if (unread_ == buffered_) return false;
    unread_ += parser.feed(std::string_view{buffer_}.substr(unread_, buffered_ - unread_));
    return true;
  }

  // Fails with no_buffer_space if there is no memory for a larger buffer.
  asio::awaitable<std::size_t> read_more(std::size_t room, error_code& error) {
    if (!make_room(room)) {
      error = asio::error::no_buffer_space;
      co_return 0;
    }
    const std::size_t came = co_await stream_.read_some(
        asio::buffer(buffer_.data() + buffered_, buffer_.size() - buffered_), error);
    buffered_ += came;
    co_return came;
  }

  // A write error is ignored here: the following read fails.
  asio::awaitable<void> ask_for_body() {
    if (unread_ < buffered_) co_return;  // the client sent the body without waiting
    expect_within(limits::kWriteTimeout);
    error_code ignored;
    co_await stream_.write(asio::buffer(kContinue), ignored);
    expires_ = Steady::time_point::max();
  }

  // Moves unparsed bytes to the front. The buffer grows only for a request head or chunk head that
  // does not fit; the parser limits both. Returns false if there is no memory for it.
  bool make_room(std::size_t room) {
    if (unread_ > 0) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(unread_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(buffered_), buffer_.begin());
      buffered_ -= std::exchange(unread_, 0);
    }
    const std::size_t full = std::max(room, buffer_.size());
    const std::size_t wanted = buffered_ == full ? 2 * full : full;
    const std::size_t counted = std::max(buffer_.size(), limits::kHeadFree);
    if (wanted > counted && !buffer_memory_.grow(wanted - counted)) return false;
    buffer_.resize(wanted);
    return true;
  }

  // Closing with unread bytes would reset the connection, and the client could lose the response.
  // So shut down sending first, and read on for a moment.
  asio::awaitable<void> linger() {
    if (idle_) stream_.send_close_notify();
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

  Pipeline& pipeline_;
  const ListenerOptions& options_;
  const std::string peer_;
  Stream stream_;
  std::string buffer_;
  RequestMemory::Hold buffer_memory_;  // counts a buffer larger than kHeadFree
  std::size_t unread_ = 0;             // first byte not parsed yet
  std::size_t buffered_ = 0;           // end of the received bytes
};

}  // namespace

std::string peer_of(const tcp::socket& socket) {
  error_code error;
  const tcp::endpoint endpoint = socket.remote_endpoint(error);
  if (error) return {};  // the client has already disconnected
  if (endpoint.address().is_v4()) return endpoint.address().to_string();
  asio::ip::address_v6 address = endpoint.address().to_v6();
  address.scope_id(0);
  return normal_address(address.to_string());
}

void Connection::check(Steady::time_point now) {
  const bool idle_at_the_end = idle_ && now >= drain_until_;
  if (now < expires_ && !idle_at_the_end) return;
  // Keep a connection with a received, unread request: the loop reads it next.
  if (idle_ && has_unread()) return;
  awaits_upload_ ? stop_waiting() : cut();
}

std::unique_ptr<Connection> make_connection(Pipeline& pipeline, const ListenerOptions& options,
                                            tcp::socket socket, std::string peer) {
  if (options.tls == nullptr)
    return std::make_unique<ConnectionOver<PlainStream>>(pipeline, options, std::move(socket),
                                                         std::move(peer));
  return std::make_unique<ConnectionOver<TlsStream>>(pipeline, options, std::move(socket),
                                                     std::move(peer), *options.tls);
}

}  // namespace shopbell::http
