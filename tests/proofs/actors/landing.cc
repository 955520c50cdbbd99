#include "tests/proofs/actors/landing.h"

#include <array>
#include <format>

#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/write.hpp>

#include "base/ip.h"

namespace shopbell::proofs {

namespace asio = boost::asio;

namespace {

constexpr std::array<std::uint16_t, 4> kPorts{80, 443, 8080, 6379};

// Responses of a public address: success, or a redirect to an internal address, which any store's
// server can send.
constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
constexpr std::string_view kRedirect =
    "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://169.254.169.254/latest/meta-data\r\n"
    "Content-Length: 0\r\n\r\n";

// The first byte of a TLS handshake; this server does not speak TLS.
constexpr char kHandshake = '\x16';

}  // namespace

Landing::Landing(std::set<std::string> welcome) : hosts_(std::move(welcome)) {
  for (const std::uint16_t port : kPorts) {
    listen({asio::ip::address_v4::any(), port});
    listen({asio::ip::address_v6::any(), port});
  }
  thread_ = std::thread{[this] { loop_.run(); }};
}

Landing::~Landing() {
  loop_.stop();
  thread_.join();
}

Landed Landing::welcome() const {
  const std::lock_guard lock{mutex_};
  return welcome_;
}

Landed Landing::intruders() const {
  const std::lock_guard lock{mutex_};
  return intruders_;
}

void Landing::listen(const Tcp::endpoint& place) {
  Tcp::acceptor acceptor{loop_, place.protocol()};
  acceptor.set_option(asio::socket_base::reuse_address{true});
  if (place.address().is_v6()) acceptor.set_option(asio::ip::v6_only{true});
  acceptor.bind(place);
  acceptor.listen();
  asio::co_spawn(loop_, take_all(std::move(acceptor)), asio::detached);
}

asio::awaitable<void> Landing::take_all(Tcp::acceptor acceptor) {
  while (true) {
    Tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    boost::system::error_code gone;
    const Tcp::endpoint place = socket.local_endpoint(gone);
    if (gone) continue;
    asio::co_spawn(loop_, serve(std::move(socket), note(place)), asio::detached);
  }
}

Landed& Landing::note(const Tcp::endpoint& place) {
  const std::string host = normal_address(place.address().to_string());
  const bool right_port = place.port() == 80 || place.port() == 443;
  const std::lock_guard lock{mutex_};
  Landed& landed = right_port && hosts_.contains(host) ? welcome_ : intruders_;
  ++landed.connections;
  landed.places.insert(std::format("{}:{}", host, place.port()));
  return landed;
}

asio::awaitable<void> Landing::serve(Tcp::socket socket, Landed& landed) {
  std::string buffer;
  std::array<char, 4096> block;
  boost::system::error_code error;
  while (!error) {
    const std::size_t bytes = co_await socket.async_read_some(
        asio::buffer(block), asio::redirect_error(asio::use_awaitable, error));
    buffer.append(block.data(), bytes);
    const bool ends = buffer.contains("\r\n\r\n");
    if (ends || buffer.starts_with(kHandshake)) {
      const std::lock_guard lock{mutex_};
      ++landed.requests;
    }
    if (buffer.starts_with(kHandshake)) break;
    if (!ends) continue;
    const bool redirects = buffer.starts_with("GET /redirect");
    buffer.clear();
    co_await asio::async_write(socket, asio::buffer(redirects ? kRedirect : kAnswer),
                               asio::redirect_error(asio::use_awaitable, error));
  }
}

}  // namespace shopbell::proofs
