// Parser: bytes of a connection into one Request, with Beast doing the reading. Limits hold while
// the bytes come in, not after. One Parser per request; what follows it in the buffer belongs to
// the next.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/wire/message.h"

namespace shopbell::http {

// How many bytes the body of a request may have, and whether it is handed out while it comes in.
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

  // Takes bytes from the front and says how many. 0 with neither done() nor a fault: it needs more
  // of them.
  std::size_t feed(std::string_view bytes);

  bool head_done() const;  // the body is being read
  bool done()
      const;  // complete, or faulty: then no further request can be read from the connection

  // The client holds the body back until it is asked for it (RFC 9110, 10.1.1).
  bool awaits_continue() const;

  Request take();

  // Of a body that streams: take() may be called as soon as the head is done, and what was read of
  // the body since the last time is here.
  bool streams() const;
  std::string take_body();
  // How much of it is still to come, where the client has said so.
  std::optional<std::uint64_t> body_left() const;
  // What was found wrong with it after take().
  std::optional<Problem> body_fault() const;

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace shopbell::http
