// HttpClient: requests to other servers, on one loop. Bodies stream both ways, a slow reader slows
// the sender, and everything has an end: a time for the whole, a size of the answer, a number of
// connections. Certificates are checked; redirects are answers like others; no proxy and nothing
// else is taken from the environment. A client with rules goes only where they allow.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "base/limits.h"
#include "net/outside.h"

namespace shopbell::net {

namespace asio = boost::asio;

class Multi;

using Headers = std::vector<std::pair<std::string, std::string>>;

// The next piece of a body; an empty one ends it.
using Source = std::function<asio::awaitable<std::string>()>;
// Takes the pieces of an answer's body.
using Sink = std::function<asio::awaitable<void>(std::string)>;

struct Request {
  std::string method = "GET";
  std::string url;  // http or https; its path is sent as it stands
  Headers headers = {};
  std::string body = {};
  Source source = {};                                            // gives the body instead
  std::uint64_t source_bytes = 0;                                // how many it gives
  std::chrono::milliseconds time_limit = limits::kOutboundTime;  // for the whole
  std::uint64_t answer_bytes_max = limits::kOutboundAnswerBytes;
};

struct Answer {
  int status = 0;
  Headers headers;
  std::string body;  // unless a sink took it

  // The first header of that name, without regard to case; empty when there is none.
  std::string_view header(std::string_view name) const;
};

enum class Failure {
  malformed_request,
  forbidden,    // the rules do not let it out: nothing was sent
  unreachable,  // no connection: nothing was sent
  untrusted,    // no connection: the certificate is not the host's, or nobody known vouches for it
  timeout,
  lost,       // sent, and cut off
  malformed,  // what came back is no HTTP
  too_large,  // more than answer_bytes_max
};

struct Trouble {
  Failure failure;
  std::string detail;  // for the log; holds nothing of the request
};

class HttpClient {
 public:
  struct Settings {
    std::string ca_file = {};  // who vouches for servers, instead of the system's list
    std::size_t connections = limits::kOutboundConnections;  // past it requests wait
    std::optional<OutsideRules> outside = {};                // for URLs that somebody else wrote
  };
  HttpClient(asio::io_context& loop, Settings settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any status is an answer. What `source` or `sink` throws ends the request and is passed on.
  asio::awaitable<std::expected<Answer, Trouble>> request(Request request, Sink sink = {});

 private:
  asio::io_context& loop_;
  const Settings settings_;
  std::shared_ptr<Multi> multi_;
};

}  // namespace shopbell::net
