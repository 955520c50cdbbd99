// A request as it came in and a response as it goes out, free of the library that parses them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/problem.h"

namespace shopbell::http {

enum class Method { get, head, post, put, patch, delete_, options, other };

std::string_view name_of(Method method);

struct Request {
  Method method = Method::other;
  std::string target;  // path and query, as sent
  std::vector<std::pair<std::string, std::string>>
      headers;  // names in lower case, in the order sent
  std::string body;
  bool keep_alive = false;
  std::string remote_address;  // the client's IP; see client_address.h
  // What is wrong with the message itself. The rest of the request is what was read until then.
  std::optional<Problem> fault;

  // The first header of that lower-case name; empty when there is none.
  std::string_view header(std::string_view name) const;
  std::string_view path() const { return std::string_view{target}.substr(0, target.find('?')); }
  std::string_view query() const;
};

// A body too large to hold: read in blocks while it is written.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  virtual std::uint64_t size() const = 0;
  // The next block; empty at the end. When it throws, the connection is cut: the client sees that
  // less came than was said.
  virtual boost::asio::awaitable<std::string> read() = 0;
};

// Likewise the body of a request: read in blocks while it comes in.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // The next block, never more than twice limits::kUploadBlock; empty at the end. Throws the
  // Problem that ends it: too large, too slow, malformed, or cut off by the client.
  virtual boost::asio::awaitable<std::string> read() = 0;
};

struct Response {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string etag;                    // with its quotes; If-None-Match is answered from it
  bool close = false;                  // after this one
  std::shared_ptr<BodyStream> stream;  // instead of `body`

  static Response json(std::string body) {
    return {.content_type = "application/json", .body = std::move(body)};
  }
};

}  // namespace shopbell::http
