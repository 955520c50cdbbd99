#include "http/wire/idempotency_key.h"

#include <algorithm>
#include <format>

#include "base/limits.h"

namespace shopbell::http {

namespace {

Problem invalid(std::string detail) {
  Fault fault{Fault::Where::header, "Idempotency-Key", "invalid-format", detail};
  return Problem{Code::idempotency_key_invalid, std::move(detail), {std::move(fault)}};
}

}  // namespace

std::optional<std::string> idempotency_key(const Request& request) {
  const auto is_key = [](const auto& header) { return header.first == "idempotency-key"; };
  const auto count = std::ranges::count_if(request.headers, is_key);
  if (count == 0) return std::nullopt;
  if (count > 1) throw invalid("The header must be sent only once.");
  std::string_view key = request.header("idempotency-key");
  if (key.size() >= 2 && key.starts_with('"') && key.ends_with('"'))
    key = key.substr(1, key.size() - 2);
  const bool visible = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7f; });
  if (key.empty() || key.size() > limits::kIdempotencyKeyBytes || !visible)
    throw invalid(std::format("The key must have 1 to {} visible ASCII characters.",
                              limits::kIdempotencyKeyBytes));
  return std::string{key};
}

}  // namespace shopbell::http
