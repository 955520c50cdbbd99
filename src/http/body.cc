#include "http/body.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "compress/compress.h"

namespace shopbell::http {

namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return result;
}

Problem too_large() {
  return Problem{Code::body_too_large,
                 std::format("The body takes more than {} bytes.", limits::kBodyBytes)};
}

// "application/json; charset=utf-8" is JSON; in another charset it is not.
void check_media_type(const Request& request) {
  const std::string header = lower(request.header("content-type"));
  const auto semicolon = header.find(';');
  const std::string_view type = trimmed(std::string_view{header}.substr(0, semicolon));
  const bool json = type == "application/json" ||
                    (request.method == Method::patch && type == "application/merge-patch+json");
  const auto charset = header.find("charset=");
  const bool utf8 = charset == std::string::npos ||
                    header.substr(charset + 8).starts_with("utf-8") ||
                    header.substr(charset + 8).starts_with("\"utf-8\"");
  if (json && utf8) return;
  throw Problem{Code::unsupported_media_type,
                header.empty() ? "The request has no Content-Type; this operation reads JSON."
                               : "The Content-Type is not JSON in UTF-8."};
}

compress::Coding coding_of(const Request& request) {
  const std::string_view header = trimmed(request.header("content-encoding"));
  if (header.empty()) return compress::Coding::identity;
  const auto coding = compress::coding_of(header);
  if (!coding)
    throw Problem{Code::unsupported_encoding, "The Content-Encoding is neither gzip nor zstd."};
  return *coding;
}

std::string inflated(const Request& request, compress::Coding coding) {
  auto plain = compress::inflate(coding, request.body, limits::kBodyBytes);
  if (plain) return std::move(*plain);
  if (plain.error() == compress::InflateFault::malformed)
    throw Problem{Code::malformed_request,
                  std::format("The body is not what its Content-Encoding says: {}.",
                              compress::name_of(coding))};
  throw too_large();
}

}  // namespace

json::Document read_body(const Request& request, std::string& plain) {
  check_media_type(request);
  const compress::Coding coding = coding_of(request);
  if (request.fault && request.fault->code() == Code::body_too_large) throw *request.fault;
  if (coding == compress::Coding::identity) return json::Document::parse_body(request.body);
  plain = inflated(request, coding);
  return json::Document::parse_body(plain);
}

bool prefers_leniency(const Request& request) {
  return std::ranges::any_of(request.headers, [](const auto& header) {
    if (header.first != "prefer") return false;
    return std::ranges::any_of(std::views::split(header.second, ','), [](const auto part) {
      const std::string wish = lower(trimmed(std::string_view{part}));
      return wish == "handling=lenient" || wish == "handling=\"lenient\"";
    });
  });
}

}  // namespace shopbell::http
