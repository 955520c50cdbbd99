// An open-loop client: request n is due at n / RATE, whether or not earlier ones are answered, and
// its latency is measured from then. A client that waits for slow answers before it sends the next
// request would hide them (coordinated omission).
//
//   open_loop HOST:PORT PATH HEADER RATE SECONDS [JSON]   over 64 connections; prints p50_ms=…,
//   p99_ms=…
//
// With JSON it sends a POST, and replaces each %n by the number of the request.
// Any answer but 2xx is an error.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Steady = std::chrono::steady_clock;

constexpr int kConnections = 64;

struct Plan {
  tcp::endpoint endpoint;
  std::string head;
  std::string json;  // body of a POST; if empty, the client sends GETs
  double rate = 0;
  std::size_t total = 0;
  Steady::time_point begin;
  std::size_t next = 0;              // the next request to send
  std::vector<double> latencies_ms;  // in the order in which responses arrived

  Steady::time_point due(std::size_t number) const {
    const std::chrono::duration<double> after{static_cast<double>(number) / rate};
    return begin + std::chrono::duration_cast<Steady::duration>(after);
  }

  std::string request(std::size_t number) const {
    if (json.empty()) return head + "\r\n";
    std::string body = json;
    for (auto at = body.find("%n"); at != std::string::npos; at = body.find("%n", at))
      body.replace(at, 2, std::to_string(number));
    return std::format("{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", head,
                       body.size(), body);
  }
};

// Serves one connection. Any free connection sends the next request. If none is free, the request
// is sent late, and its latency includes the delay.
asio::awaitable<void> send_requests(Plan& plan) {
  tcp::socket socket{co_await asio::this_coro::executor};
  co_await socket.async_connect(plan.endpoint, asio::use_awaitable);
  socket.set_option(tcp::no_delay{true});
  asio::steady_timer timer{socket.get_executor()};
  boost::beast::flat_buffer buffer;
  while (plan.next < plan.total) {
    const auto due = plan.due(plan.next);
    const std::string request = plan.request(plan.next++);
    timer.expires_at(due);
    co_await timer.async_wait(asio::use_awaitable);
    co_await asio::async_write(socket, asio::buffer(request), asio::use_awaitable);
    http::response<http::string_body> response;
    co_await http::async_read(socket, buffer, response, asio::use_awaitable);
    if (http::to_status_class(response.result()) != http::status_class::successful) {
      throw std::runtime_error{std::format("unexpected status {}", response.result_int())};
    }
    const std::chrono::duration<double, std::milli> took = Steady::now() - due;
    plan.latencies_ms.push_back(took.count());
  }
}

constexpr auto kUsage = "usage: open_loop HOST:PORT PATH HEADER RATE SECONDS [JSON]";

Plan plan_of(const std::string& address, std::string_view path, std::string_view header,
             double rate, double seconds, const std::string& json) {
  const auto colon = address.rfind(':');
  if (colon == std::string::npos || rate <= 0 || seconds <= 0) throw std::runtime_error{kUsage};
  const auto port = static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1));
  return {.endpoint = {asio::ip::make_address(address.substr(0, colon)), port},
          .head = std::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}\r\n", json.empty() ? "GET" : "POST",
                              path, address, header),
          .json = json,
          .rate = rate,
          .total = static_cast<std::size_t>(rate * seconds),
          .begin = Steady::now() + std::chrono::milliseconds{50}};
}

void run(Plan plan) {
  asio::io_context loop{1};
  plan.latencies_ms.reserve(plan.total);
  for (int i = 0; i < kConnections; ++i) {
    asio::co_spawn(loop, send_requests(plan), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
  }
  loop.run();
  if (plan.latencies_ms.empty())
    throw std::runtime_error{"RATE and SECONDS give no request to send"};
  std::ranges::sort(plan.latencies_ms);
  const auto percentile = [&](double part) {
    const auto count = static_cast<double>(plan.latencies_ms.size() - 1);
    return plan.latencies_ms[static_cast<std::size_t>(part * count)];
  };
  std::printf("p50_ms=%.3f\np99_ms=%.3f\nmost_ms=%.3f\n", percentile(0.5), percentile(0.99),
              percentile(1));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words{argv + 1, argv + argc};
    if (words.size() != 5 && words.size() != 6) throw std::runtime_error{kUsage};
    run(plan_of(words[0], words[1], words[2], std::atof(words[3].c_str()),
                std::atof(words[4].c_str()), words.size() == 6 ? words[5] : ""));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "open_loop: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
