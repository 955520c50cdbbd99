// HttpClient: one keep-alive connection of a load test or proof, on an Asio loop. It distinguishes
// an answer, a refused connection, and a request that was sent but not answered.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

namespace shopbell::testing {

namespace asio = boost::asio;

struct Answer {
  enum class Outcome {
    answered,
    refused,  // no connection was made
    cut,      // connected and sent, but no complete answer came
  };
  Outcome outcome = Outcome::answered;
  bool fresh = false;  // the connection was made for this request
  int status = 0;
  std::string head;
  std::string body;

  // The first header of that name, ignoring case; empty if there is none.
  std::string header(std::string_view name) const;
};

struct Ask {
  std::string method = "GET";
  std::string path;
  std::string body = {};  // JSON, unless a Content-Type among the headers says otherwise
  std::vector<std::pair<std::string, std::string>> headers = {};
};

class HttpClient {
 public:
  HttpClient(asio::io_context& loop, const std::string& host, const std::string& port,
             std::string key);

  // Connects if necessary, and keeps the connection unless the server closes it.
  asio::awaitable<Answer> send(Ask ask);
  asio::awaitable<Answer> get(std::string path) { return send({.path = std::move(path)}); }

 private:
  asio::awaitable<bool> connect();
  bool is_closed_by_server();
  asio::awaitable<std::optional<Answer>> read_answer();

  asio::ip::tcp::endpoint endpoint_;
  std::string key_;
  asio::ip::tcp::socket socket_;
  std::string buffer_;
};

}  // namespace shopbell::testing
