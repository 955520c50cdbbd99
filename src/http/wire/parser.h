// Parser: parses one Request from the bytes of a connection, using Beast. Limits apply while the
// bytes arrive. Use one Parser per request; the bytes after it belong to the next request.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/wire/message.h"

namespace shopbell::http {

// The maximum size of a request's body, and whether it is streamed while it arrives.
struct BodyRule {
  std::size_t bytes_max = 0;
  bool streams = false;
};
using BodyRules = std::function<BodyRule(Method method, std::string_view target)>;

class Parser {
 public:
  explicit Parser(const BodyRules& rules = {});
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // Consumes bytes from the front and returns how many. 0 without done() means that it needs more
  // bytes.
  std::size_t feed(std::string_view bytes);

  bool head_done() const;  // the head is complete
  bool done() const;       // complete or malformed; after a fault the connection cannot be reused

  // True if the client waits for 100 Continue before it sends the body (RFC 9110, 10.1.1).
  bool awaits_continue() const;

  // May be called once the head is done. The request has its body if that is complete and not
  // streamed; otherwise take_body() returns it. Faults of the body are in body_fault() alone.
  Request take();
  // Ends the request with this fault, for example because there is no memory for its head.
  void refuse(Problem fault);

  bool streams() const;  // true if the rule streams the body
  bool has_whole_body() const;
  // The bytes of the body that arrived since the last call.
  std::string take_body();
  // The remaining bytes of a body with Content-Length.
  std::optional<std::uint64_t> body_left() const;
  // Returns the fault if the body is too large or malformed.
  std::optional<Problem> body_fault() const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace shopbell::http
