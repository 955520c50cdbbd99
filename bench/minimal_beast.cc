// Baseline of the HTTP layer: a minimal HTTP server with Beast, structured like the service: one
// loop per thread, all on one port (SO_REUSEPORT), one coroutine per connection. It has no routing,
// checks, limits, timeouts, metrics or logs: its rate is the upper bound for the HTTP layer.
//
//   minimal_beast [PORT [THREADS]]     PORT 0: any free port; prints url=…
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

http::response<http::string_body> answer() {
  http::response<http::string_body> response{http::status::ok, 11};
  response.set(http::field::content_type, "application/json");
  response.body() = R"({"alive":true})";
  response.prepare_payload();
  return response;
}

asio::awaitable<void> serve(tcp::socket socket) {
  boost::beast::flat_buffer buffer;
  auto response = answer();
  bool more = true;
  while (more) {
    http::request<http::string_body> request;
    boost::system::error_code error;
    co_await http::async_read(socket, buffer, request,
                              asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;  // the client has disconnected
    more = request.keep_alive();
    response.keep_alive(more);
    co_await http::async_write(socket, response, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
  }
}

asio::awaitable<void> accept(tcp::acceptor acceptor) {
  const auto executor = co_await asio::this_coro::executor;
  while (true) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    socket.set_option(tcp::no_delay{true});
    asio::co_spawn(executor, serve(std::move(socket)), asio::detached);
  }
}

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

void run(std::uint16_t port, std::size_t threads) {
  tcp::endpoint endpoint{asio::ip::address_v4::loopback(), port};
  std::deque<asio::io_context> loops;
  for (std::size_t i = 0; i < threads; ++i) {
    auto& loop = loops.emplace_back(1);
    auto acceptor = listen(loop, endpoint);
    endpoint = acceptor.local_endpoint();  // the actual port; the other loops share it
    asio::co_spawn(loop, accept(std::move(acceptor)), asio::detached);
  }
  std::printf("url=http://127.0.0.1:%u\n", static_cast<unsigned>(endpoint.port()));
  std::fflush(stdout);
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back([&loop = loops[i]] { loop.run(); });
  }
  loops.front().run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int port = argc > 1 ? std::atoi(argv[1]) : 0;
    const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
    run(static_cast<std::uint16_t>(port), static_cast<std::size_t>(std::max(1, threads)));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "minimal_beast: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
