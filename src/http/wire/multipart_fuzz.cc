// Fuzzes forms: no crash, no limit exceeded, and the same result for the whole body as for pieces.
#include <optional>
#include <vector>

#include "base/limits.h"
#include "base/problem.h"
#include "http/wire/multipart.h"

namespace {

using shopbell::http::FormReader;

struct Read {
  FormReader::Part part;
  std::string data;
  bool operator==(const Read&) const = default;
};

// Returns the parts, or nullopt if the bytes are not a form.
std::optional<std::vector<Read>> parse(const std::string& type, std::string_view body,
                                       std::size_t piece) {
  std::vector<Read> parts;
  try {
    FormReader reader{type};
    do {
      const std::size_t size = std::min(piece, body.size());
      reader.feed(body.substr(0, size));
      body.remove_prefix(size);
      for (auto next = reader.next(); next != FormReader::Next::more; next = reader.next()) {
        if (next == FormReader::Next::part) parts.push_back({reader.part(), ""});
        if (next == FormReader::Next::data) parts.back().data += reader.take_data();
      }
    } while (!body.empty());
    reader.finish();
  } catch (const shopbell::Problem& problem) {
    if (problem.code() != shopbell::Code::malformed_form) __builtin_trap();
    return std::nullopt;
  }
  return parts;
}

}  // namespace

// The first byte gives the size of the pieces; the rest of the first line is the Content-Type.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto line = std::min(bytes.find('\n'), bytes.size());
  const std::string type{bytes.substr(0, line)};
  const std::string_view body = bytes.substr(std::min(line + 1, bytes.size()));
  const auto whole = parse(type, body, body.size() + 1);
  if (whole != parse(type, body, 1 + data[0] % 90)) __builtin_trap();
  if (!whole) return 0;
  if (whole->size() > shopbell::limits::kFormParts) __builtin_trap();
  for (const auto& [part, text] : *whole)
    if (part.name.empty() || text.size() > body.size()) __builtin_trap();
  return 0;
}
