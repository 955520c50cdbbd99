#include "net/door.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/http_client.h"

namespace shopbell::net {
namespace {

// Listens on a local port. The kernel completes connections even if nobody accepts them.
class Listener {
 public:
  Listener() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, plain, size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    EXPECT_EQ(::getsockname(socket_, plain, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~Listener() { ::close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::uint16_t port() const { return port_; }

  bool was_connected() const {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 0) == 1;
  }

  // Accepts one connection, answers 200, and returns how many bytes follow before the client
  // closes. Run it on another thread than the client.
  ssize_t answer_once() const {
    const int taken = ::accept(socket_, nullptr, nullptr);
    std::array<char, 4096> block;
    EXPECT_GT(::recv(taken, block.data(), block.size(), 0), 0);
    const std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    EXPECT_GT(::send(taken, answer.data(), answer.size(), MSG_NOSIGNAL), 0);
    const ssize_t more = ::recv(taken, block.data(), block.size(), 0);
    ::close(taken);
    return more;
  }

 private:
  int socket_;
  std::uint16_t port_ = 0;
};

// A request to shop.example, which resolves to the addresses that a test sets.
class DoorTest : public ::testing::Test {
 protected:
  ~DoorTest() override {
    curl_easy_cleanup(easy_);
    curl_slist_free_all(names_);
  }

  void resolve_to(std::string_view addresses) {
    curl_slist_free_all(names_);
    names_ = curl_slist_append(
        nullptr, std::format("shop.example:{}:{}", listener_.port(), addresses).c_str());
    curl_easy_setopt(easy_, CURLOPT_RESOLVE, names_);
  }
  CURLcode go(Door& door) {
    door.guard(easy_);
    const std::string url = std::format("http://shop.example:{}/", listener_.port());
    curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy_, CURLOPT_PROXY, "");
    curl_easy_setopt(easy_, CURLOPT_TIMEOUT_MS, 2000L);
    return curl_easy_perform(easy_);
  }
  OutsideTarget target(std::vector<std::string> allow_private = {}) const {
    return OutsideTarget::of(
               std::format("http://shop.example:{}/", listener_.port()),
               {.allow_private = std::move(allow_private), .allow_ports = {listener_.port()}})
        .value();
  }

  Listener listener_;
  CURL* easy_ = curl_easy_init();
  curl_slist* names_ = nullptr;
};

TEST_F(DoorTest, refuses_a_name_with_any_private_address) {
  for (const char* addresses :
       {"127.0.0.1", "93.184.215.14,127.0.0.1", "127.0.0.1,93.184.215.14",
        "[2606:2800:21f::1],93.184.215.14,10.0.0.5", "[::ffff:127.0.0.1]", "[::1],93.184.215.14"}) {
    Door door{target()};
    resolve_to(addresses);
    EXPECT_EQ(go(door), CURLE_COULDNT_CONNECT) << addresses;
    EXPECT_TRUE(door.is_forbidden()) << addresses;
    EXPECT_FALSE(door.can_retry()) << addresses;
    EXPECT_FALSE(listener_.was_connected()) << addresses;
  }
}

TEST_F(DoorTest, checks_every_address_before_it_connects) {
  Door door{target({"127.0.0.0/8"})};
  resolve_to("127.0.0.1,127.0.0.2");
  EXPECT_EQ(go(door), CURLE_COULDNT_CONNECT);
  EXPECT_FALSE(listener_.was_connected());
  EXPECT_TRUE(door.can_retry());
  std::jthread server{[&] { listener_.answer_once(); }};
  curl_easy_setopt(easy_, CURLOPT_FORBID_REUSE, 1L);
  EXPECT_EQ(go(door), CURLE_OK);
  EXPECT_FALSE(door.is_forbidden());
}

TEST_F(DoorTest, connects_only_to_checked_addresses) {
  Door door{target({"127.0.0.0/8"})};
  resolve_to("127.0.0.2");
  EXPECT_EQ(go(door), CURLE_COULDNT_CONNECT);
  EXPECT_TRUE(door.can_retry());
  resolve_to("127.0.0.1");
  EXPECT_EQ(go(door), CURLE_COULDNT_CONNECT);
  EXPECT_FALSE(listener_.was_connected());
  EXPECT_FALSE(door.is_forbidden());
  EXPECT_FALSE(door.can_retry());
  resolve_to("10.0.0.5");
  EXPECT_EQ(go(door), CURLE_COULDNT_CONNECT);
  EXPECT_TRUE(door.is_forbidden());
}

TEST_F(DoorTest, checks_reused_connections) {
  ssize_t more = -1;
  std::jthread server{[&] { more = listener_.answer_once(); }};
  Door permissive{target({"shop.example"})};
  resolve_to("127.0.0.1");
  EXPECT_EQ(go(permissive), CURLE_OK);
  Door strict{target()};
  EXPECT_EQ(go(strict), CURLE_ABORTED_BY_CALLBACK);
  EXPECT_TRUE(strict.is_forbidden());
  server.join();
  EXPECT_EQ(more, 0);
}

class GuardedClientTest : public ::testing::Test {
 protected:
  std::expected<Answer, Trouble> ask(const OutsideRules& rules, const std::string& url) {
    asio::io_context loop;
    HttpClient client{loop, {.outside = rules}};
    std::optional<std::expected<Answer, Trouble>> outcome;
    asio::co_spawn(loop, client.request({.url = url}),
                   [&](const std::exception_ptr& error, std::expected<Answer, Trouble> answer) {
                     EXPECT_FALSE(error);
                     outcome = std::move(answer);
                     loop.stop();
                   });
    loop.run();
    return *std::move(outcome);
  }

  Listener listener_;
};

TEST_F(GuardedClientTest, reaches_no_private_address) {
  for (const char* host : {"127.0.0.1", "localhost", "[::1]", "127.1", "2130706433"}) {
    const auto answer = ask({.allow_ports = {listener_.port()}},
                            std::format("http://{}:{}/", host, listener_.port()));
    ASSERT_FALSE(answer) << host;
    EXPECT_EQ(answer.error().failure, Failure::forbidden) << host;
    EXPECT_FALSE(listener_.was_connected()) << host;
  }
}

TEST_F(GuardedClientTest, reaches_hosts_that_the_operator_allows) {
  for (const char* host : {"127.0.0.1", "localhost"}) {
    std::jthread server{[&] { listener_.answer_once(); }};
    const std::string place = std::format("{}:{}", host, listener_.port());
    const auto answer = ask({.allow_private = {place}}, std::format("http://{}/", place));
    ASSERT_TRUE(answer) << host << ": " << answer.error().detail;
    EXPECT_EQ(answer->status, 200);
  }
}

}  // namespace
}  // namespace shopbell::net
