// HttpClient: requests to other servers, on one loop. Bodies stream both ways with backpressure.
// Time, answer size and number of connections are limited. Certificates are verified, redirects are
// not followed, and proxies and other environment variables are ignored. A client with rules
// reaches only what they allow.
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

// Returns the next piece of a body; an empty piece ends it.
using Source = std::function<asio::awaitable<std::string>()>;
// Consumes the pieces of an answer's body.
using Sink = std::function<asio::awaitable<void>(std::string)>;

struct Request {
  std::string method = "GET";
  std::string url;  // http or https; the path is sent unchanged
  Headers headers = {};
  std::string body = {};
  Source source = {};              // supplies the body instead of `body`
  std::uint64_t source_bytes = 0;  // the total size of the source
  std::chrono::milliseconds time_limit = limits::kOutboundTime;  // timeout of the whole exchange
  std::uint64_t answer_bytes_max = limits::kOutboundAnswerBytes;
};

struct Answer {
  int status = 0;
  Headers headers;
  std::string body;  // empty if a sink took it

  // The first header of that name, ignoring case; empty if there is none.
  std::string_view header(std::string_view name) const;
};

enum class Failure {
  malformed_request,
  forbidden,    // the rules forbid the target: nothing was sent
  unreachable,  // no connection: nothing was sent
  untrusted,    // no connection: the certificate is for another host or from an unknown authority
  timeout,
  lost,       // the connection ended after the request was sent
  malformed,  // the answer is not HTTP
  too_large,  // the answer exceeds answer_bytes_max
};

struct Trouble {
  Failure failure;
  std::string detail;  // detail for the log, without data of the request
};

class HttpClient {
 public:
  struct Settings {
    std::string ca_file = {};  // trusted authorities, instead of the system's list
    std::size_t connections = limits::kOutboundConnections;  // beyond the limit requests wait
    std::optional<OutsideRules> outside = {};                // rules for URLs that others supplied
  };
  HttpClient(asio::io_context& loop, Settings settings);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any status is an answer. An exception from `source` or `sink` ends the request and is rethrown.
  asio::awaitable<std::expected<Answer, Trouble>> request(Request request, Sink sink = {});

 private:
  asio::io_context& loop_;
  const Settings settings_;
  std::shared_ptr<Multi> multi_;
};

}  // namespace shopbell::net
