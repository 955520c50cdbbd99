// An endpoint for webhooks that costs as little as one can: it reads a POST, counts it and answers
// 204. It checks nothing and keeps nothing, so that whoever sends is the limit.
//
//   webhook_receiver       takes a free port; prints url=…
//
// POST /wait/N/… is answered after N milliseconds, as an endpoint that does something would.
// GET /count says how many POSTs came and when the last did, on the steady clock.
// GET /sample says what the last POST was: its headers, an empty line, its body.
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

struct Heard {
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

std::string told_of(const Heard& heard, std::string_view target) {
  if (target != "/sample")
    return std::format(
        R"({{"count":{},"lastNs":{}}})", heard.count,
        std::chrono::duration_cast<std::chrono::nanoseconds>(heard.last.time_since_epoch())
            .count());
  std::string text;
  for (const auto& field : heard.sample)
    text += std::format("{}: {}\n", std::string_view{field.name_string()},
                        std::string_view{field.value()});
  return text + "\n" + heard.sample.body();
}

asio::awaitable<void> serve(tcp::socket socket, Heard& heard) {
  boost::beast::flat_buffer buffer;
  asio::steady_timer timer{socket.get_executor()};
  const Response good{http::status::no_content, 11};
  while (true) {
    Request request;
    boost::system::error_code error;
    co_await http::async_read(socket, buffer, request,
                              asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;  // the client has gone
    Response response = good;
    if (request.method() == http::verb::post) {
      ++heard.count;
      heard.last = Steady::now();
      if (const auto wait = wait_of(request.target()); wait.count() > 0) {
        timer.expires_after(wait);
        co_await timer.async_wait(asio::use_awaitable);
      }
      heard.sample = std::move(request);
    } else {
      response.result(http::status::ok);
      response.body() = told_of(heard, request.target());
      response.prepare_payload();
    }
    co_await http::async_write(socket, response, asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
  }
}

asio::awaitable<void> accept(tcp::acceptor acceptor, Heard& heard) {
  const auto executor = co_await asio::this_coro::executor;
  while (true) {
    tcp::socket socket = co_await acceptor.async_accept(asio::use_awaitable);
    socket.set_option(tcp::no_delay{true});
    asio::co_spawn(executor, serve(std::move(socket), heard), asio::detached);
  }
}

void run() {
  asio::io_context loop{1};
  Heard heard;
  tcp::acceptor acceptor{loop, {asio::ip::address_v4::loopback(), 0}};
  std::printf("url=http://127.0.0.1:%u\n", static_cast<unsigned>(acceptor.local_endpoint().port()));
  std::fflush(stdout);
  asio::co_spawn(loop, accept(std::move(acceptor), heard), asio::detached);
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
