// An HTTP request and a response, independent of the library that parses them.
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
#include "http/wire/request_memory.h"
#include "http/wire/static_body.h"
#include "operations/operation.h"

namespace shopbell::http {

using operations::Method;
using operations::name_of;

struct Request {
  Method method = Method::other;
  std::string target;  // path and query, as sent
  std::vector<std::pair<std::string, std::string>>
      headers;  // names in lower case, in the order sent
  std::string body;
  bool keep_alive = false;
  std::string remote_address;  // the client's IP; see client_address.h
  // Set if the message is malformed. The other members have the data read before the fault.
  std::optional<Problem> fault;

  // The first header with that lower-case name; empty if there is none.
  std::string_view header(std::string_view name) const;
  std::string_view path() const { return std::string_view{target}.substr(0, target.find('?')); }
  std::string_view query() const;
};

// The part of a request's body that has not been read yet: in blocks, while it arrives.
class BodySource {
 public:
  virtual ~BodySource() = default;
  // Returns the next block, at most twice limits::kUploadBlock; empty at the end. Throws a Problem
  // if the body is too large, too slow, malformed, or aborted by the client.
  virtual boost::asio::awaitable<std::string> read() = 0;
};

struct Response {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string etag;    // ETag with its quotes, which If-None-Match is compared with
  bool close = false;  // close the connection after this response
  std::shared_ptr<operations::BodyStream> stream;  // if set, sent instead of `body`
  std::shared_ptr<const StaticBody> fixed;         // if set, sent instead of `body`, in `coding`
  compress::Coding coding = compress::Coding::identity;
  std::shared_ptr<RequestMemory::Hold> memory;  // held while a large body is sent

  static Response json(std::string body) {
    return {.content_type = "application/json", .body = std::move(body)};
  }

  // The body, if it is not a stream.
  std::string_view text() const { return fixed ? std::string_view{fixed->in(coding)} : body; }
  // Replaces the body by one that all copies of this response share.
  void share_body();
};

}  // namespace shopbell::http
