#include "http/wire/body.h"

#include <algorithm>
#include <format>
#include <ranges>

#include "base/limits.h"
#include "base/text.h"
#include "compress/compress.h"

namespace shopbell::http {

namespace {

constexpr std::string_view kLines = "application/x-ndjson";
constexpr std::string_view kForm = "multipart/form-data";

// Checks the charset parameter of a media type; the default is UTF-8, as for JSON.
bool is_utf8_charset(std::string_view parameters) {
  for (const auto part : std::views::split(parameters, ';')) {
    std::string_view parameter = trimmed(std::string_view{part});
    if (!parameter.starts_with("charset=")) continue;
    parameter.remove_prefix(8);
    if (parameter != "utf-8" && parameter != "\"utf-8\"") return false;
  }
  return true;
}

void check_media_type(const Request& request, const operations::Body& expected) {
  const std::string header = lower_ascii(request.header("content-type"));
  const auto semicolon = std::min(header.find(';'), header.size());
  const std::string_view type = trimmed(std::string_view{header}.substr(0, semicolon));
  const bool json = type == "application/json" ||
                    (request.method == Method::patch && type == "application/merge-patch+json") ||
                    (expected.lines_bytes_max > 0 && type == kLines);
  if (json && is_utf8_charset(std::string_view{header}.substr(semicolon))) return;
  throw Problem{Code::unsupported_media_type,
                header.empty() ? "The Content-Type header is missing. Send application/json."
                               : "The Content-Type must be JSON in UTF-8."};
}

compress::Coding coding_of(const Request& request) {
  const std::string_view header = trimmed(request.header("content-encoding"));
  if (header.empty()) return compress::Coding::identity;
  const auto coding = compress::coding_of(header);
  if (!coding)
    throw Problem{Code::unsupported_encoding, "The Content-Encoding must be gzip or zstd."};
  return *coding;
}

std::string inflated(const Request& request, compress::Coding coding, std::size_t bytes_max) {
  auto plain = compress::inflate(coding, request.body, bytes_max);
  if (plain) return std::move(*plain);
  if (plain.error() == compress::InflateFault::malformed)
    throw Problem{Code::malformed_request,
                  std::format("The body is not valid {}, as its Content-Encoding claims.",
                              compress::name_of(coding))};
  throw body_too_large(bytes_max);
}

}  // namespace

bool may_lack_body(const operations::Operation& operation) {
  const auto& body = operation.description.body;
  return operation.method == operations::Method::post && body && body->schema.type == "object" &&
         body->schema.members.empty();
}

std::string media_type(const Request& request) {
  std::string header = lower_ascii(request.header("content-type"));
  header.resize(std::min(header.find(';'), header.size()));
  return std::string{trimmed(header)};
}

void check_upload(const Request& request, const operations::UploadBody& expected) {
  const std::string type = media_type(request);
  const bool form = type == kForm;
  if (!form &&
      !std::ranges::contains(expected.alone, type, &operations::UploadBody::Alone::media_type))
    throw Problem{Code::unsupported_media_type,
                  type.empty() ? "The Content-Type header is missing."
                               : "This operation does not support the Content-Type."};
  const std::string header = lower_ascii(request.header("content-type"));
  if (!form && !is_utf8_charset(std::string_view{header}.substr(type.size())))
    throw Problem{Code::unsupported_media_type,
                  "The file must be in UTF-8; its Content-Type names "
                  "another charset."};
  if (coding_of(request) != compress::Coding::identity && form)
    throw Problem{Code::unsupported_encoding,
                  "A form must not have a Content-Encoding. The file inside may be compressed with "
                  "gzip or zstd."};
}

bool has_lines(const Request& request) { return media_type(request) == kLines; }

Problem body_too_large(std::size_t bytes_max) {
  return {Code::body_too_large, std::format("The body is larger than {} bytes.", bytes_max)};
}

std::size_t body_limit(const Request& request, const operations::Body& expected) {
  return has_lines(request) ? expected.lines_bytes_max : expected.bytes_max;
}

void check_body(const Request& request, const operations::Body& expected) {
  check_media_type(request, expected);
  coding_of(request);
  if (request.fault && request.fault->code() == Code::body_too_large) throw *request.fault;
}

std::optional<json::Document> read_body(const Request& request, const operations::Body& expected,
                                        std::string& plain) {
  const std::size_t bytes_max = body_limit(request, expected);
  if (request.body.size() > bytes_max) throw body_too_large(bytes_max);
  const compress::Coding coding = coding_of(request);
  if (coding != compress::Coding::identity) plain = inflated(request, coding, bytes_max);
  if (has_lines(request)) return std::nullopt;
  return json::Document::parse_body(coding == compress::Coding::identity ? request.body : plain);
}

namespace {

bool prefers(const Request& request, std::initializer_list<std::string_view> spellings) {
  return std::ranges::any_of(request.headers, [&](const auto& header) {
    if (header.first != "prefer") return false;
    return std::ranges::any_of(std::views::split(header.second, ','), [&](const auto part) {
      return std::ranges::contains(spellings, lower_ascii(trimmed(std::string_view{part})));
    });
  });
}

}  // namespace

bool prefers_leniency(const Request& request) {
  return prefers(request, {"handling=lenient", "handling=\"lenient\""});
}

bool prefers_async(const Request& request) { return prefers(request, {"respond-async"}); }

}  // namespace shopbell::http
