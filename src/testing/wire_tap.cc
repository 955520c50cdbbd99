#include "testing/wire_tap.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace shopbell::testing {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr std::uint32_t kAskForTls = 80877103;
constexpr std::uint32_t kAskForGss = 80877104;

struct Address {
  std::size_t at = 0;  // in the URL
  std::size_t length = 0;
  std::string host;
  std::string port;
};

// The address in "postgresql://name:password@host:port/database".
Address address_in(const std::string& url) {
  const auto from = url.rfind('@') + 1;
  const auto end = url.find('/', from);
  const auto colon = url.rfind(':', end);
  if (from == 0 || end == std::string::npos || colon < from)
    throw std::runtime_error{"the URL has no host and port"};
  return {.at = from,
          .length = end - from,
          .host = url.substr(from, colon - from),
          .port = url.substr(colon + 1, end - colon - 1)};
}

// Reads the messages that a client sends in the protocol of PostgreSQL, version 3.
class ClientMessages {
 public:
  // Calls `bound` for the name of each statement that runs, and `synced` after each group.
  template <class Bound, class Synced>
  void read(std::string_view bytes, Bound bound, Synced synced) {
    bytes_ += bytes;
    while (const auto message = next()) {
      if (message->type == 'B') {  // the name of the portal, then that of the statement
        const auto portal = message->body.find('\0');
        const auto name = std::string_view{message->body}.substr(portal + 1);
        bound(std::string{name.substr(0, name.find('\0'))});
      } else if (message->type == 'S') {
        synced();
      }
    }
  }

 private:
  struct Message {
    char type = 0;  // 0 while the session opens
    std::string body;
  };

  // Four bytes, the most significant one first.
  std::uint32_t number_at(std::size_t at) const {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i)
      number = (number << 8U) | static_cast<unsigned char>(bytes_[i]);
    return number;
  }
  std::optional<Message> next() {
    const std::size_t head = is_open_ ? 1 : 0;
    if (bytes_.size() < head + 4) return std::nullopt;
    const std::size_t whole = head + number_at(head);
    if (bytes_.size() < whole) return std::nullopt;
    Message message{.type = is_open_ ? bytes_[0] : '\0',
                    .body = bytes_.substr(head + 4, whole - head - 4)};
    if (!is_open_) {
      const std::uint32_t request = number_at(4);
      is_open_ = request != kAskForTls && request != kAskForGss;
    }
    bytes_.erase(0, whole);
    return message;
  }

  std::string bytes_;
  bool is_open_ = false;
};

}  // namespace

struct WireTap::State {
  State(asio::io_context& of_loop, const Address& server)
      : loop{of_loop},
        acceptor{of_loop, {asio::ip::make_address("127.0.0.1"), 0}},
        target{*tcp::resolver{of_loop}.resolve(server.host, server.port).begin()} {}

  struct Session {
    tcp::socket client;
    tcp::socket server;
    ClientMessages messages = {};
    std::vector<std::string> group = {};
    RoundTrips transaction = {};
  };

  void note(Session& session, std::string_view bytes) {
    session.messages.read(
        bytes, [&](std::string name) { session.group.push_back(std::move(name)); },
        [&] {
          auto group = std::exchange(session.group, {});
          if (group.empty()) return;  // it only prepares statements
          const bool commits = std::ranges::contains(group, "pg.commit");
          if (std::ranges::contains(group, "pg.begin")) session.transaction.clear();
          session.transaction.push_back(std::move(group));
          if (commits) committed.push_back(std::exchange(session.transaction, {}));
        });
  }

  static asio::awaitable<void> accept(std::shared_ptr<State> state);
  static asio::awaitable<void> relay(std::shared_ptr<State> state, std::shared_ptr<Session> session,
                                     bool from_client);

  asio::io_context& loop;
  tcp::acceptor acceptor;
  const tcp::endpoint target;
  std::vector<RoundTrips> committed;
};

asio::awaitable<void> WireTap::State::accept(std::shared_ptr<State> state) {
  while (state->acceptor.is_open()) {
    auto [error, client] =
        co_await state->acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
    if (error) co_return;
    auto session = std::make_shared<Session>(std::move(client), tcp::socket{state->loop});
    session->server.connect(state->target);
    for (auto* socket : {&session->client, &session->server})
      socket->set_option(tcp::no_delay{true});
    asio::co_spawn(state->loop, relay(state, session, true), asio::detached);
    asio::co_spawn(state->loop, relay(state, session, false), asio::detached);
  }
}

asio::awaitable<void> WireTap::State::relay(std::shared_ptr<State> state,
                                            std::shared_ptr<Session> session, bool from_client) {
  tcp::socket& from = from_client ? session->client : session->server;
  tcp::socket& to = from_client ? session->server : session->client;
  std::vector<char> buffer(kBufferBytes);
  while (true) {
    const auto [error, size] =
        co_await from.async_read_some(asio::buffer(buffer), asio::as_tuple(asio::use_awaitable));
    if (error) break;
    if (from_client) state->note(*session, {buffer.data(), size});
    const auto [failed, sent] = co_await asio::async_write(to, asio::buffer(buffer.data(), size),
                                                           asio::as_tuple(asio::use_awaitable));
    if (failed) break;
  }
  boost::system::error_code ignored;
  to.shutdown(tcp::socket::shutdown_send, ignored);
}

WireTap::WireTap(asio::io_context& loop, const std::string& url) : url_{url} {
  const Address server = address_in(url);
  state_ = std::make_shared<State>(loop, server);
  url_.replace(server.at, server.length,
               std::format("127.0.0.1:{}", state_->acceptor.local_endpoint().port()));
  asio::co_spawn(loop, State::accept(state_), asio::detached);
}

WireTap::~WireTap() { state_->acceptor.close(); }

std::vector<RoundTrips> WireTap::take() { return std::exchange(state_->committed, {}); }

}  // namespace shopbell::testing
