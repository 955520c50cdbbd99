// A minimal webhook endpoint: it reads a POST, counts it and answers 204. It checks and stores
// nothing, so that the sender is the bottleneck.
//
//   webhook_receiver       listens on any free port; prints url=…
//
// POST /wait/N/… is answered after N milliseconds, to simulate a slow endpoint.
// GET /count returns the number of POSTs, and the time of the last one on the steady clock.
// GET /sample returns the last POST: its headers, an empty line, its body.
#include <charconv>
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
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;
using Steady = std::chrono::steady_clock;

struct Received {
  std::size_t count = 0;
  Steady::time_point last;
  Request sample;
};

std::chrono::milliseconds wait_of(std::string_view target) {
  constexpr std::string_view prefix = "/wait/";
  int milliseconds = 0;
  if (target.starts_with(prefix)) {
    target.remove_prefix(prefix.size());
    std::from_chars(target.data(), target.data() + target.size(), milliseconds);
  }
  return std::chrono::milliseconds{milliseconds};
}

std::string report_of(const Received& received, std::string_view target) {
  if (target != "/sample")
    return std::format(
        R"({{"count":{},"lastNs":{}}})", received.count,
        std::chrono::duration_cast<std::chrono::nanoseconds>(received.last.time_since_epoch())
            .count());
  std::string text;
  for (const auto& field : received.sample)
    text += std::format("{}: {}\n", std::string_view{field.name_string()},
                        std::string_view{field.value()});
  return text + "\n" + received.sample.body();
}

asio::awaitable<void> serve(tcp::socket socket, Received& received) {
  boost::beast::flat_buffer buffer;
  asio::steady_timer timer{socket.get_executor()};
  const Response good{http::status::no_content, 11};
  while (true) {
    Request request;
    boost::system::error_code error;
    co_await http::async_read(socket, buffer, request,
                              asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;  // the client has disconnected
    Response response = good;
    if (request.method() == http::verb::post) {
      ++received.count;
      received.last = Steady::now();
      if (const auto wait = wait_of(request.target()); wait.count() > 0) {
        timer.expires_after(wait);
        co_await timer.async_wait(asio::use_awaitable);
      }
      received.sample = std::move(request);
    } else {
      response.result(http::status::ok);
      response.body() = report_of(received, request.target());
      response.prepare_payload();
    }
    co_await http::async_write(socket, response, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
  }
}

asio::awaitable<void> accept(tcp::acceptor acceptor, Received& received) {
  const auto executor = co_await asio::this_coro::executor;
  while (true) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    socket.set_option(tcp::no_delay{true});
    asio::co_spawn(executor, serve(std::move(socket), received), asio::detached);
  }
}

void run() {
  asio::io_context loop{1};
  Received received;
  tcp::acceptor acceptor{loop, {asio::ip::address_v4::loopback(), 0}};
  std::printf("url=http://127.0.0.1:%u\n", static_cast<unsigned>(acceptor.local_endpoint().port()));
  std::fflush(stdout);
  asio::co_spawn(loop, accept(std::move(acceptor), received), asio::detached);
  loop.run();
}

}  // namespace

int main() {
  try {
    run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "webhook_receiver: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
