// Parser: bytes of a connection into one Request, with Beast doing the reading. Limits hold while
// the bytes come in, not after. One Parser per request; what follows it in the buffer belongs to
// the next.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "http/message.h"

namespace shopbell::http {

// How many bytes the body of a request may have.
using BodyLimit = std::function<std::size_t(Method method, std::string_view target)>;

class Parser {
 public:
  explicit Parser(const BodyLimit& limit = {});
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

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace shopbell::http
