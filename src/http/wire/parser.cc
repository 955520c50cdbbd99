#include "http/wire/parser.h"

#include <algorithm>
#include <format>

// Beast asserts that the bytes after the last chunk arrive as five or more. A slow client sends
// fewer, and nothing else relies on that assertion.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::http {

namespace beast = boost::beast;
using beast::string_view;
using boost::system::error_code;

namespace {

Method method_of(beast::http::verb verb) {
  switch (verb) {
    case beast::http::verb::get:
      return Method::get;
    case beast::http::verb::head:
      return Method::head;
    case beast::http::verb::post:
      return Method::post;
    case beast::http::verb::put:
      return Method::put;
    case beast::http::verb::patch:
      return Method::patch;
    case beast::http::verb::delete_:
      return Method::delete_;
    case beast::http::verb::options:
      return Method::options;
    default:
      return Method::other;
  }
}

Problem problem_of(const error_code& error, std::size_t body_bytes) {
  if (error == beast::http::error::header_limit || error == beast::http::error::buffer_overflow) {
    return Problem{Code::headers_too_large,
                   std::format("The headers are larger than {} bytes.", limits::kHeaderBytes)};
  }
  if (error == beast::http::error::body_limit) {
    return Problem{Code::body_too_large,
                   std::format("The body is larger than {} bytes.", body_bytes)};
  }
  return Problem{Code::malformed_request,
                 std::format("The request is not valid HTTP/1.1: {}.", error.message())};
}

bool is_control(char c) { return (c >= 0 && c < 0x20 && c != '\t') || c == 0x7f; }

}  // namespace

struct Parser::Reader final : beast::http::basic_parser<true> {
  explicit Reader(const BodyRules& given) : rules{given} {
    header_limit(limits::kHeaderBytes + limits::kPathBytes);
    body_limit(rule.bytes_max);
    eager(true);
    request.headers.reserve(12);
  }

  void on_request_impl(beast::http::verb verb, string_view, string_view target, int version,
                       error_code& error) override {
    request.method = method_of(verb);
    http_version = version;
    if (target.size() > limits::kPathBytes) {
      fault = Problem{Code::path_too_long,
                      std::format("Path and query are longer than {} bytes.", limits::kPathBytes)};
      error = beast::http::error::bad_target;
      return;
    }
    request.target = target;
    if (!rules) return;
    rule = rules(request.method, request.target);
    body_limit(rule.bytes_max);
  }

  void on_field_impl(beast::http::field field, string_view name, string_view value,
                     error_code& error) override {
    // Trailers are dropped: a proxy checks and replaces headers, but not trailers, so a trailer
    // must never be taken for a header (RFC 9110, 6.5.1).
    if (is_header_done()) return;
    // Refuse ambiguous or unusual body framing: it allows request smuggling through a proxy.
    const bool length = field == beast::http::field::content_length;
    const bool encoding = field == beast::http::field::transfer_encoding;
    if ((length && has("transfer-encoding")) ||
        (encoding &&
         (has("content-length") || has("transfer-encoding") || lower_ascii(value) != "chunked"))) {
      error = beast::http::error::bad_transfer_encoding;
      return;
    }
    header_bytes += name.size() + value.size() + 4;
    if (header_bytes > limits::kHeaderBytes) {
      error = beast::http::error::header_limit;
      return;
    }
    request.headers.emplace_back(lower_ascii(name), value);
  }

  void on_header_impl(error_code& error) override {
    keeps_alive = keep_alive();  // read before the trailers, which do not count
    if (http_version < 11 && has("transfer-encoding")) {
      fault = Problem{Code::malformed_request,
                      "An HTTP/1.0 request cannot have a Transfer-Encoding (RFC 9112, 6.1)."};
      error = beast::http::error::bad_transfer_encoding;
      return;
    }
    const auto hosts =
        std::ranges::count(request.headers, "host", &std::pair<std::string, std::string>::first);
    head_accepted = hosts == 1 || (hosts == 0 && http_version < 11);
    if (head_accepted) return;
    fault = Problem{Code::malformed_request,
                    "A request must have exactly one Host header (RFC 9112, "
                    "3.2)."};
    error = beast::http::error::bad_field;
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, error_code&) override {
    if (length) body_left = *length;
  }
  std::size_t on_body_impl(string_view body, error_code&) override {
    body_text.append(body);
    if (body_left) *body_left -= body.size();
    return body.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view extensions, error_code& error) override {
    chunks_begun = true;
    // Beast accepts any byte inside a quoted value. Parsers that end a line at a bare line feed
    // would see another chunk.
    if (std::ranges::any_of(extensions, is_control))
      error = beast::http::error::bad_chunk_extension;
  }
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, error_code&) override {
    body_text.append(body);
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, string_view, int, error_code&) override {}

  bool has(std::string_view name) const { return !request.header(name).empty(); }

  BodyRules rules;
  BodyRule rule{.bytes_max = limits::kBodyBytes};
  Request request;
  std::string body_text;
  std::optional<std::uint64_t> body_left;
  std::optional<Problem> fault;
  int http_version = 0;
  bool head_accepted = false;
  bool keeps_alive = false;
  std::size_t header_bytes = 0;
  bool chunks_begun = false;
};

Parser::Parser(const BodyRules& rules) : reader_{std::make_unique<Reader>(rules)} {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

std::size_t Parser::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (!done() && used < bytes.size()) {
    error_code error;
    const std::string_view rest = bytes.substr(used);
    const std::size_t took =
        reader_->put(boost::asio::const_buffer{rest.data(), rest.size()}, error);
    used += took;
    if (error == beast::http::error::need_more) {
      // Beast leaves unparsed bytes in the caller's buffer: the head of the request or of a chunk,
      // or trailers. After the head they may be as long as a request line. Body bytes are never
      // left.
      const std::size_t left = rest.size() - took;
      if (!head_done() && left > limits::kHeaderBytes + limits::kPathBytes)
        reader_->fault = problem_of(beast::http::error::header_limit, 0);
      if (head_done() && left > limits::kPathBytes)
        reader_->fault = problem_of(beast::http::error::bad_chunk_extension, 0);
      break;
    }
    if (error && !reader_->fault) reader_->fault = problem_of(error, reader_->rule.bytes_max);
    if (took == 0) break;
  }
  return used;
}

bool Parser::head_done() const { return reader_->is_header_done(); }
bool Parser::done() const { return reader_->fault || reader_->is_done(); }

bool Parser::awaits_continue() const {
  const Request& request = reader_->request;
  return head_done() && !done() && reader_->http_version >= 11 && reader_->body_text.empty() &&
         !reader_->chunks_begun && lower_ascii(request.header("expect")) == "100-continue";
}

Request Parser::take() {
  Request request = std::move(reader_->request);
  if (!reader_->head_accepted) request.fault = reader_->fault;
  request.keep_alive = reader_->head_accepted && reader_->keeps_alive;
  if (has_whole_body()) request.body = take_body();
  return request;
}

void Parser::refuse(Problem fault) { reader_->fault = std::move(fault); }

bool Parser::streams() const { return reader_->rule.streams; }
bool Parser::has_whole_body() const { return !streams() && !reader_->fault && reader_->is_done(); }
std::string Parser::take_body() { return std::exchange(reader_->body_text, {}); }
std::optional<std::uint64_t> Parser::body_left() const {
  if (reader_->body_left) return reader_->body_left;
  const auto length = reader_->content_length();
  return length ? std::optional<std::uint64_t>{*length} : std::nullopt;
}
std::optional<Problem> Parser::body_fault() const {
  const auto& fault = reader_->fault;
  const bool of_body = fault && (reader_->head_accepted || fault->code() == Code::body_too_large);
  return of_body ? fault : std::nullopt;
}

}  // namespace shopbell::http
