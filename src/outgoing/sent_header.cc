#include "outgoing/sent_header.h"

#include <algorithm>
#include <array>
#include <format>
#include <stdexcept>

#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"

namespace shopbell::outgoing {

namespace {

using json::Reading;

SentHeaders::const_iterator find_header(const SentHeaders& headers, std::string_view name) {
  return std::ranges::find_if(headers, [&](const SentHeader& header) {
    return lower_ascii(header.name) == lower_ascii(name);
  });
}

json::Field<SentHeader> header_name() {
  return json::text("name", &SentHeader::name)
      .required()
      .length_min(1)
      .pattern("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
      .rule(is_own_header,
            "Is not a valid header name, or is a header that the service sets itself.")
      .example(R"("X-Token")");
}

// The stored form of a header, which the API never returns.
const json::Table<SentHeader>& kept_header_json() {
  static const json::Table<SentHeader> table{
      "KeptHeader",
      "",
      {json::text("name", &SentHeader::name),
       json::text("sealed", &SentHeader::sealed).length_max(limits::kHeaderValueCharacters * 8)}};
  return table;
}

}  // namespace

bool is_own_header(std::string_view name) {
  constexpr std::array<std::string_view, 13> kOurs{"accept-encoding",
                                                   "connection",
                                                   "content-encoding",
                                                   "content-length",
                                                   "content-type",
                                                   "expect",
                                                   "host",
                                                   "keep-alive",
                                                   "te",
                                                   "traceparent",
                                                   "trailer",
                                                   "transfer-encoding",
                                                   "upgrade"};
  constexpr std::string_view kToken = "!#$%&'*+-.^_`|~";
  const std::string lower = lower_ascii(name);
  return !lower.empty() && !lower.starts_with("webhook-") && !lower.starts_with("proxy-") &&
         !std::ranges::contains(kOurs, lower) && std::ranges::all_of(lower, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || kToken.contains(c);
         });
}

void settle_headers(Reading& reading, const SentHeaders& before, SentHeaders& headers) {
  const Reading::Place place{reading, "headers"};
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const Reading::Place element{reading, std::to_string(i)};
    SentHeader& header = headers[i];
    const auto first = find_header(headers, header.name);
    if (first - headers.begin() != static_cast<std::ptrdiff_t>(i))
      reading.refuse_at("name", "duplicate", "Another header has this name.");
    if (header.value) continue;
    const auto kept = find_header(before, header.name);
    if (kept == before.end()) {
      reading.refuse_at("value", "required", "Is required: this header has no stored value.");
    } else {
      header = *kept;
    }
  }
}

bool differ(const SentHeaders& before, const SentHeaders& after) {
  return !std::ranges::equal(before, after, [](const SentHeader& one, const SentHeader& other) {
    return one.name == other.name && one.sealed == other.sealed && !other.value;
  });
}

std::string header_context(std::int64_t account, const Uuid& owner, std::string_view header) {
  return std::format("{} {} header {}", account, owner.to_string(), lower_ascii(header));
}

void seal_headers(const keyring::Keyring& keyring, std::int64_t account, const Uuid& owner,
                  SentHeaders& headers) {
  for (auto& header : headers) {
    if (!header.value) continue;
    header.sealed =
        to_hex(keyring.seal(*header.value, header_context(account, owner, header.name)));
    header.value.reset();
  }
}

std::string headers_to_json(const SentHeaders& headers) {
  json::Writer writer;
  writer.begin_list();
  for (const auto& header : headers) kept_header_json().write(writer, header);
  writer.end();
  return writer.finish();
}

SentHeaders headers_from_json(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::logic_error{"stored headers are not JSON"};
  SentHeaders headers;
  Reading reading;
  document->root().for_each([&](std::string_view, const json::Value& element) {
    kept_header_json().read_new(element, reading).apply_to(headers.emplace_back());
  });
  return headers;
}

const json::Table<SentHeader>& sent_header_json() {
  static const json::Table<SentHeader> table{
      "SentHeader",
      "A custom header of outgoing requests.",
      {header_name(), json::text("value", &SentHeader::value)
                          .doc("Never returned. Omit it to keep the stored value.")
                          .length_min(1)
                          .length_max(limits::kHeaderValueCharacters)
                          .pattern("^[!-~]([ -~]*[!-~])?$")
                          .rule(
                              [](std::string_view text) {
                                return trimmed(text) == text &&
                                       std::ranges::all_of(
                                           text, [](char c) { return c >= ' ' && c <= '~'; });
                              },
                              "Must be visible ASCII characters, with spaces only between them.")
                          .restricts()}};
  return table;
}

const json::Table<SentHeader>& shown_header_json() {
  static const json::Table<SentHeader> table{
      "ShownHeader", "A custom header of outgoing requests.", {header_name()}};
  return table;
}

}  // namespace shopbell::outgoing
