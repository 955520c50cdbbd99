// Upload: a body that its handler reads while it comes in. It knows when it was last heard of, so
// that the time a request may take begins with its last byte, as it does for every other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/digest.h"
#include "http/wire/message.h"
#include "runtime/wait.h"

namespace shopbell::http {

class Upload {
 public:
  explicit Upload(BodySource& source) : source_{source} {}

  // The next block; empty at the end.
  boost::asio::awaitable<std::string> read();

  runtime::Steady::time_point last_read() const { return last_read_; }
  // What was read is where it belongs, which may have taken a while: the time starts again.
  void touch() { last_read_ = runtime::Steady::now(); }

  // What the body says, however it was written down: a form that is sent again has another
  // boundary. Set by the handler before it writes anything: an Idempotency-Key stands for it.
  void set_digest(const Sha256& digest) { digest_ = digest; }
  const Sha256& digest() const;

 private:
  BodySource& source_;
  const runtime::Steady::time_point began_ = runtime::Steady::now();
  runtime::Steady::time_point last_read_ = began_;
  std::optional<Sha256> digest_;
};

}  // namespace shopbell::http
