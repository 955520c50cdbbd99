#include "http/wire/wire.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <format>

#include "base/limits.h"

namespace shopbell::http {

namespace {

struct Phrase {
  int status;
  std::string_view reason;
};

// Reason phrases of RFC 9110, 15, and RFC 6585.
constexpr std::array kPhrases{
    Phrase{200, "OK"},
    Phrase{201, "Created"},
    Phrase{202, "Accepted"},
    Phrase{204, "No Content"},
    Phrase{304, "Not Modified"},
    Phrase{307, "Temporary Redirect"},
    Phrase{308, "Permanent Redirect"},
    Phrase{400, "Bad Request"},
    Phrase{401, "Unauthorized"},
    Phrase{403, "Forbidden"},
    Phrase{404, "Not Found"},
    Phrase{405, "Method Not Allowed"},
    Phrase{408, "Request Timeout"},
    Phrase{409, "Conflict"},
    Phrase{410, "Gone"},
    Phrase{412, "Precondition Failed"},
    Phrase{413, "Content Too Large"},
    Phrase{414, "URI Too Long"},
    Phrase{415, "Unsupported Media Type"},
    Phrase{422, "Unprocessable Content"},
    Phrase{429, "Too Many Requests"},
    Phrase{431, "Request Header Fields Too Large"},
    Phrase{500, "Internal Server Error"},
    Phrase{503, "Service Unavailable"},
};

// "Sun, 15 Nov 2026 02:04:25 GMT", cached for a second per thread.
std::string_view http_date() {
  thread_local std::time_t made_for = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != made_for) {
    made_for = now;
    text = std::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                       std::chrono::sys_seconds{std::chrono::seconds{now}});
  }
  return text;
}

void append_header(std::string& wire, std::string_view name, std::string_view value) {
  wire.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string_view reason_of(int status) {
  const auto found = std::ranges::find(kPhrases, status, &Phrase::status);
  if (found != kPhrases.end()) return found->reason;
  return status < 400 ? "OK" : status < 500 ? "Client Error" : "Server Error";
}

bool is_joined(const Response& response) {
  return !response.fixed && response.body.size() <= limits::kAnswerFree;
}

std::string to_wire(const Response& response, bool head_only) {
  std::string wire;
  const std::string_view text = response.text();
  const bool joined = !head_only && is_joined(response);
  wire.reserve(512 + (joined ? text.size() : 0));
  wire.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  wire.append(reason_of(response.status)).append("\r\n");
  append_header(wire, "Date", http_date());
  for (const auto& [name, value] : response.headers) append_header(wire, name, value);
  if (!response.content_type.empty()) append_header(wire, "Content-Type", response.content_type);
  const bool bodiless = response.status == 204 || response.status == 304;
  const std::uint64_t length = response.stream ? response.stream->size() : text.size();
  if (!bodiless) append_header(wire, "Content-Length", std::to_string(length));
  if (response.close) append_header(wire, "Connection", "close");
  wire.append("\r\n");
  if (!bodiless && joined) wire.append(text);
  return wire;
}

}  // namespace shopbell::http
