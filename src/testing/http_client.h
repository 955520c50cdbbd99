// HttpClient: one kept connection of a load or proof, on an Asio loop. It tells apart what a proof
// must tell apart: an answer, a refused connection, and a request that was sent and not answered.
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
    refused,  // no connection: nobody listens
    cut,      // connected and sent, but no complete answer came
  };
  Outcome outcome = Outcome::answered;
  bool fresh = false;  // the connection was made for this request
  int status = 0;
  std::string head;
  std::string body;

  // The first header of that name, without regard to case; empty when there is none.
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

  // Connects when it has to, and keeps the connection unless the server says close.
  asio::awaitable<Answer> send(Ask ask);
  asio::awaitable<Answer> get(std::string path) { return send({.path = std::move(path)}); }

 private:
  asio::awaitable<bool> connect();
  bool is_over();
  asio::awaitable<std::optional<Answer>> read_answer();

  asio::ip::tcp::endpoint endpoint_;
  std::string key_;
  asio::ip::tcp::socket socket_;
  std::string buffer_;
};

}  // namespace shopbell::testing
