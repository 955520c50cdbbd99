// Fuzzes requests: no crash, no limit exceeded, and the same request from pieces as from the whole.
// Faults may be detected at another byte: after the first piece the parser waits for the end of the
// head.
#include "base/limits.h"
#include "http/wire/parser.h"
#include "http/wire/path.h"

namespace {

using shopbell::http::Parser;
using shopbell::http::Request;

// Returns the request, or nullopt if the bytes are not a valid one.
std::optional<Request> parse(std::string_view bytes, std::size_t piece) {
  Parser parser;
  std::size_t taken = 0;
  for (std::size_t end = 0; !parser.done() && end < bytes.size();) {
    end = std::min(end + piece, bytes.size());
    taken += parser.feed(bytes.substr(taken, end - taken));
  }
  if (!parser.done()) return std::nullopt;
  Request request = parser.take();
  if (request.fault || parser.body_fault()) return std::nullopt;
  return request;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto whole = parse(bytes, bytes.size() + 1);
  const auto pieces = parse(bytes, 1 + data[0] % 7);
  if (whole.has_value() != pieces.has_value()) __builtin_trap();
  if (!whole) return 0;
  const bool same = whole->target == pieces->target && whole->headers == pieces->headers &&
                    whole->body == pieces->body && whole->keep_alive == pieces->keep_alive;
  const bool bounded = whole->body.size() <= shopbell::limits::kBodyBytes &&
                       whole->target.size() <= shopbell::limits::kPathBytes;
  if (!same || !bounded) __builtin_trap();
  shopbell::http::split_path(whole->path());
  shopbell::http::split_query(whole->query());
  return 0;
}
