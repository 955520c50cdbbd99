#include "testing/http_client.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <format>
#include <ranges>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>

namespace shopbell::testing {

using boost::system::error_code;

HttpClient::HttpClient(asio::io_context& loop, const std::string& host, const std::string& port,
                       std::string key)
    : endpoint_{asio::ip::make_address(host), static_cast<std::uint16_t>(std::stoi(port))},
      key_{std::move(key)},
      socket_{loop} {}

// True if the server has closed the idle connection: a request sent on it would be lost.
bool HttpClient::is_closed_by_server() {
  char byte = 0;
  const auto got = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
}

asio::awaitable<bool> HttpClient::connect() {
  if (socket_.is_open() && is_closed_by_server()) socket_.close();
  if (socket_.is_open()) co_return true;
  buffer_.clear();
  error_code error;
  co_await socket_.async_connect(endpoint_, asio::redirect_error(asio::use_awaitable, error));
  if (error) socket_.close();
  co_return !error;
}

std::string Answer::header(std::string_view name) const {
  for (const auto part : std::views::split(head, std::string_view{"\r\n"})) {
    const std::string_view line{part};
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (!std::ranges::equal(line.substr(0, name.size()), name,
                            [](char a, char b) { return (a | 0x20) == (b | 0x20); }))
      continue;
    return std::string{line.substr(std::min(name.size() + 2, line.size()))};
  }
  return {};
}

asio::awaitable<Answer> HttpClient::send(Ask ask) {
  const bool fresh = !socket_.is_open() || is_closed_by_server();
  if (!co_await connect()) co_return Answer{.outcome = Answer::Outcome::refused};
  std::string request = std::format("{} {} HTTP/1.1\r\nHost: test\r\n", ask.method, ask.path);
  if (!key_.empty()) request += std::format("Authorization: Bearer {}\r\n", key_);
  for (const auto& [name, value] : ask.headers) request += std::format("{}: {}\r\n", name, value);
  const bool names_type =
      std::ranges::any_of(ask.headers, [](const auto& one) { return one.first == "Content-Type"; });
  if (!ask.body.empty() && !names_type) request += "Content-Type: application/json\r\n";
  if (!ask.body.empty()) request += std::format("Content-Length: {}\r\n", ask.body.size());
  request += "\r\n" + ask.body;
  error_code error;
  co_await asio::async_write(socket_, asio::buffer(request),
                             asio::redirect_error(asio::use_awaitable, error));
  auto answer = co_await read_answer();
  if (!answer) {
    socket_.close();
    co_return Answer{.outcome = Answer::Outcome::cut, .fresh = fresh};
  }
  if (answer->head.contains("Connection: close")) socket_.close();
  co_return std::move(*answer);
}

asio::awaitable<std::optional<Answer>> HttpClient::read_answer() {
  error_code error;
  const std::size_t head_size =
      co_await asio::async_read_until(socket_, asio::dynamic_buffer(buffer_), "\r\n\r\n",
                                      asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return std::nullopt;
  Answer answer{.head = buffer_.substr(0, head_size)};
  buffer_.erase(0, head_size);
  answer.status = std::stoi(answer.head.substr(9, 3));
  std::size_t length = 0;
  if (const auto at = answer.head.find("Content-Length: "); at != std::string::npos) {
    std::from_chars(answer.head.data() + at + 16, answer.head.data() + answer.head.size(), length);
  }
  if (buffer_.size() < length) {
    co_await asio::async_read(socket_, asio::dynamic_buffer(buffer_),
                              asio::transfer_exactly(length - buffer_.size()),
                              asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return std::nullopt;
  }
  answer.body = buffer_.substr(0, length);
  buffer_.erase(0, length);
  co_return answer;
}

}  // namespace shopbell::testing
