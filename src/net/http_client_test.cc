#include "net/http_client.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

#include "testing/process.h"

namespace shopbell::net {

namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

asio::awaitable<void> sleep_for(std::chrono::steady_clock::duration duration) {
  asio::steady_timer timer{co_await asio::this_coro::executor, duration};
  co_await timer.async_wait(asio::use_awaitable);
}

// A raw TCP server for answers that no proper server would give: it sends exactly the bytes of the
// test.
class Peer {
 public:
  explicit Peer(asio::io_context& loop) : acceptor_(loop, {asio::ip::address_v4::loopback(), 0}) {}

  std::string url(std::string_view path = "/") const {
    return std::format("http://127.0.0.1:{}{}", acceptor_.local_endpoint().port(), path);
  }

  // Accepts a connection and reads one request, head and body.
  asio::awaitable<tcp::socket> take() {
    tcp::socket socket = co_await acceptor_.async_accept(asio::use_awaitable);
    ++connections_;
    co_await read_request(socket);
    co_return socket;
  }

  asio::awaitable<void> read_request(tcp::socket& socket) {
    std::string buffer;
    const std::size_t head = co_await asio::async_read_until(socket, asio::dynamic_buffer(buffer),
                                                             "\r\n\r\n", asio::use_awaitable);
    const std::size_t length = buffer.find("Content-Length: ");
    const std::size_t body = length < head ? std::stoul(buffer.substr(length + 16)) : 0;
    while (buffer.size() < head + body) {
      std::array<char, 65'536> block;
      const auto bytes = co_await socket.async_read_some(asio::buffer(block), asio::use_awaitable);
      buffer.append(block.data(), bytes);
    }
    requests_.push_back(buffer);
  }

  // Answers one request with these bytes, and closes the connection.
  asio::awaitable<void> answer_once(std::string answer) {
    tcp::socket socket = co_await take();
    co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
  }

  const std::vector<std::string>& requests() const { return requests_; }
  int connections() const { return connections_; }
  tcp::acceptor& acceptor() { return acceptor_; }

 private:
  tcp::acceptor acceptor_;
  std::vector<std::string> requests_;
  int connections_ = 0;
};

class HttpClientTest : public ::testing::Test {
 protected:
  using Outcome = std::expected<Answer, Trouble>;

  void in_background(asio::awaitable<void> work) {
    asio::co_spawn(loop_, std::move(work), [](const std::exception_ptr&) {
      // The peer of a request that is cut off sees an error; that is no failure of the test.
    });
  }
  // Runs the loop until the client has its answer.
  Outcome ask_by(HttpClient& client, Request request, Sink sink = {}) {
    std::exception_ptr thrown;
    std::optional<Outcome> outcome;
    loop_.restart();
    asio::co_spawn(loop_, client.request(std::move(request), std::move(sink)),
                   [&](std::exception_ptr error, Outcome answer) {
                     thrown = error;
                     outcome = std::move(answer);
                     loop_.stop();
                   });
    loop_.run();
    if (thrown) std::rethrow_exception(thrown);
    return *std::move(outcome);
  }
  Outcome ask(Request request, Sink sink = {}) {
    return ask_by(client_, std::move(request), std::move(sink));
  }
  void let_pass(std::chrono::milliseconds time) {
    loop_.restart();
    loop_.run_for(time);
  }
  Outcome ask_once(std::string answer, Request request = {}, Sink sink = {}) {
    request.url = peer_.url();
    in_background(peer_.answer_once(std::move(answer)));
    return ask(std::move(request), std::move(sink));
  }

  static std::optional<Failure> failure_of(const Outcome& outcome) {
    return outcome ? std::nullopt : std::optional{outcome.error().failure};
  }

  asio::io_context loop_;
  Peer peer_{loop_};
  HttpClient client_{loop_, {}};
};

TEST_F(HttpClientTest, sends_a_request_and_returns_the_answer) {
  in_background(peer_.answer_once(
      "HTTP/1.1 201 Created\r\nETag: \"a:b\"\r\nX-Empty:\r\nContent-Length: 5\r\n\r\nhello"));
  const auto answer = ask({.method = "POST",
                           .url = peer_.url("/a/../b%2Fc?x=1"),
                           .headers = {{"X-Name", "value"}, {"X-Blank", ""}},
                           .body = "body"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, "hello");
  EXPECT_EQ(answer->header("etag"), "\"a:b\"");
  EXPECT_EQ(answer->header("x-empty"), "");
  EXPECT_EQ(answer->header("none"), "");
  ASSERT_EQ(peer_.requests().size(), 1U);
  const std::string& sent = peer_.requests()[0];
  EXPECT_TRUE(sent.starts_with("POST /a/../b%2Fc?x=1 HTTP/1.1\r\n")) << sent;
  EXPECT_TRUE(sent.contains("\r\nX-Name: value\r\n"));
  EXPECT_TRUE(sent.contains("\r\nX-Blank:\r\n"));
  EXPECT_FALSE(sent.contains("Expect:"));
  EXPECT_TRUE(sent.ends_with("\r\n\r\nbody"));
}

TEST_F(HttpClientTest, does_not_follow_redirects_and_skips_interim_responses) {
  const auto redirect =
      ask_once("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(redirect);
  EXPECT_EQ(redirect->status, 302);
  EXPECT_EQ(redirect->header("location"), "http://127.0.0.1:1/");
  const auto answer = ask_once(
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\nA: b\r\n\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 204);
  EXPECT_EQ(answer->headers.size(), 1U);
}

TEST_F(HttpClientTest, sends_content_length_0_only_for_methods_with_a_body) {
  const std::string none = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  for (const char* method : {"GET", "DELETE", "POST", "PUT"}) {
    ASSERT_TRUE(ask_once(none, {.method = method}));
    const bool said = peer_.requests().back().contains("Content-Length: 0\r\n");
    EXPECT_EQ(said, method[0] == 'P') << peer_.requests().back();
  }
  const auto head = ask_once("HTTP/1.1 200 OK\r\nContent-Length: 123\r\n\r\n", {.method = "HEAD"});
  ASSERT_TRUE(head);
  EXPECT_EQ(head->header("content-length"), "123");
}

// Supplies `left` pieces, each after one millisecond.
struct Pieces {
  int left;
  std::string piece;
  asio::awaitable<std::string> next() {
    co_await sleep_for(1ms);
    co_return left-- > 0 ? piece : "";
  }
};

TEST_F(HttpClientTest, streams_a_body_from_its_source) {
  Pieces pieces{50, std::string(30'000, 'p')};
  const auto answer = ask_once(
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      {.method = "PUT", .source = [&] { return pieces.next(); }, .source_bytes = 50 * 30'000});
  ASSERT_TRUE(answer);
  EXPECT_TRUE(peer_.requests()[0].ends_with("\r\n\r\n" + std::string(50 * 30'000, 'p')));
}

asio::awaitable<std::string> failing_source() {
  co_await sleep_for(1ms);
  throw std::runtime_error{"the file is gone"};
}

TEST_F(HttpClientTest, rethrows_exceptions_of_its_source) {
  EXPECT_THROW(ask_once("", {.method = "PUT", .source = failing_source, .source_bytes = 10}),
               std::runtime_error);
}

// Takes two milliseconds for every piece.
struct SlowSink {
  std::uint64_t bytes = 0;
  std::size_t largest = 0;
  asio::awaitable<void> take(std::string piece) {
    bytes += piece.size();
    largest = std::max(largest, piece.size());
    co_await sleep_for(2ms);
  }
};

TEST_F(HttpClientTest, throttles_a_fast_server_while_the_sink_is_slow) {
  constexpr std::size_t kBytes = std::size_t{32} * 1024 * 1024;
  SlowSink sink;
  const auto answer = ask_once(
      std::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", kBytes) +
          std::string(kBytes, 'x'),
      {.answer_bytes_max = kBytes}, [&](std::string piece) { return sink.take(std::move(piece)); });
  ASSERT_TRUE(answer);
  EXPECT_EQ(sink.bytes, kBytes);
  EXPECT_LE(sink.largest, limits::kOutboundPieceBytes + 65'536);
  EXPECT_TRUE(answer->body.empty());
}

TEST_F(HttpClientTest, accepts_an_answer_up_to_the_size_limit) {
  const std::string five = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
  EXPECT_TRUE(ask_once(five, {.answer_bytes_max = 5}));
  EXPECT_EQ(failure_of(ask_once(five, {.answer_bytes_max = 4})), Failure::too_large);
  const std::string endless = "HTTP/1.1 200 OK\r\n\r\n" + std::string(100'000, 'x');
  EXPECT_EQ(failure_of(ask_once(endless, {.answer_bytes_max = 50'000})), Failure::too_large);
}

asio::awaitable<void> stay_silent(Peer& peer) {
  const tcp::socket socket = co_await peer.take();
  co_await sleep_for(1h);
}

TEST_F(HttpClientTest, respects_the_time_limit) {
  in_background(stay_silent(peer_));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(failure_of(ask({.url = peer_.url(), .time_limit = 100ms})), Failure::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
}

TEST_F(HttpClientTest, reports_the_kind_of_failure) {
  EXPECT_EQ(failure_of(ask_once("")), Failure::lost);
  EXPECT_EQ(failure_of(ask_once("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")),
            Failure::lost);
  EXPECT_EQ(failure_of(ask_once("SSH-2.0-OpenSSH\r\n")), Failure::malformed);
  for (const char* url : {"", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "127.0.0.1"}) {
    EXPECT_EQ(failure_of(ask({.url = url})), Failure::malformed_request) << url;
  }
  const std::string url = peer_.url();
  peer_.acceptor().close();
  EXPECT_EQ(failure_of(ask({.url = url})), Failure::unreachable);
}

asio::awaitable<void> answer_twice_and_hang_up(Peer& peer) {
  tcp::socket socket = co_await peer.take();
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
  co_await peer.read_request(socket);
  co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
}

TEST_F(HttpClientTest, reuses_a_connection_and_replaces_a_closed_one) {
  in_background(answer_twice_and_hang_up(peer_));
  ASSERT_TRUE(ask({.method = "PUT", .url = peer_.url(), .body = "1"}));
  ASSERT_TRUE(ask({.method = "PUT", .url = peer_.url(), .body = "2"}));
  EXPECT_EQ(peer_.connections(), 1);
  let_pass(20ms);
  ASSERT_TRUE(
      ask_once("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {.method = "PUT", .body = "3"}));
  EXPECT_EQ(peer_.connections(), 2);
  EXPECT_TRUE(peer_.requests().back().ends_with("\r\n\r\n3"));
}

asio::awaitable<void> ask_and_count(HttpClient& client, std::string url, int& answered) {
  if (co_await client.request({.url = std::move(url)})) ++answered;
}

asio::awaitable<void> answer_slowly(Peer& peer, int times) {
  tcp::socket socket = co_await peer.take();
  for (int i = 0; i < times; ++i) {
    if (i > 0) co_await peer.read_request(socket);
    co_await sleep_for(10ms);
    const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    co_await asio::async_write(socket, asio::buffer(answer), asio::use_awaitable);
  }
}

TEST_F(HttpClientTest, respects_the_connection_limit) {
  HttpClient client{loop_, {.connections = 1}};
  in_background(answer_slowly(peer_, 3));
  int answered = 0;
  for (int i = 0; i < 3; ++i) in_background(ask_and_count(client, peer_.url(), answered));
  let_pass(500ms);
  EXPECT_EQ(answered, 3);
  EXPECT_EQ(peer_.connections(), 1);
}

TEST_F(HttpClientTest, can_be_destroyed_with_a_request_in_flight) {
  asio::io_context loop;
  HttpClient client{loop, {}};
  int answered = 0;
  asio::co_spawn(loop, ask_and_count(client, peer_.url(), answered), asio::detached);
  loop.run_for(50ms);
  EXPECT_EQ(answered, 0);
}

// OpenSSL's test server, with a self-signed certificate for 127.0.0.1.
class TlsServer {
 public:
  explicit TlsServer(std::uint16_t port) {
    std::string made = (std::filesystem::temp_directory_path() / "shopbell-net.XXXXXX").string();
    directory_ = ::mkdtemp(made.data());
    const std::string key = directory_ / "key.pem";
    shopbell::testing::run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-subj",
                            "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                            key, "-out", certificate()});
    server_.emplace(std::vector<std::string>{"openssl", "s_server", "-quiet", "-www", "-accept",
                                             std::format("127.0.0.1:{}", port), "-key", key,
                                             "-cert", certificate()},
                    directory_ / "server.log");
  }
  ~TlsServer() {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  std::string certificate() const { return directory_ / "certificate.pem"; }

 private:
  std::filesystem::path directory_;
  std::optional<shopbell::testing::Process> server_;
};

TEST_F(HttpClientTest, accepts_only_certificates_of_trusted_authorities) {
  const std::uint16_t port = peer_.acceptor().local_endpoint().port();
  peer_.acceptor().close();
  const TlsServer server{port};
  HttpClient trusting{loop_, {.ca_file = server.certificate()}};
  const auto refused_by = [&](HttpClient& client, std::string_view host) {
    return failure_of(ask_by(client, {.url = std::format("https://{}:{}/", host, port)}));
  };
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (refused_by(trusting, "127.0.0.1") == Failure::unreachable &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(refused_by(trusting, "127.0.0.1"), std::nullopt);
  EXPECT_EQ(refused_by(client_, "127.0.0.1"), Failure::untrusted);   // unknown authority
  EXPECT_EQ(refused_by(trusting, "localhost"), Failure::untrusted);  // certificate of another host
}

}  // namespace
}  // namespace shopbell::net
