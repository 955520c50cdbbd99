#include "resources/integrations/event_type.h"

#include <algorithm>
#include <array>
#include <format>

#include "base/digest.h"
#include "base/limits.h"
#include "base/random.h"
#include "base/text.h"
#include "resources/integrations/event_field_json.h"

namespace shopbell::integrations {

namespace {

using json::Reading;

void settle_direction(Reading& reading, const EventType& type) {
  const auto needs = [&](std::string_view name, bool there, std::string_view why) {
    if (!there && !reading.refused_at(std::format("/{}", name)))
      reading.refuse_at(name, "required", std::string{why});
  };
  const auto only_for = [&](std::string_view name, bool there, std::string_view direction) {
    if (there)
      reading.refuse_at(name, "conflicts-with",
                        std::format("Belongs to types that {} only.", direction));
  };
  if (type.sends()) {
    needs("url", type.url.has_value(), "A type that sends needs a URL to send to.");
    only_for("alias", type.alias.has_value(), "receive");
  } else {
    needs("alias", type.alias.has_value(), "A type that receives needs an alias to send it by.");
    only_for("url", type.url.has_value(), "send");
    only_for("headers", !type.headers.empty(), "send");
  }
}

std::vector<Header>::const_iterator find_header(const std::vector<Header>& headers,
                                                std::string_view name) {
  return std::ranges::find_if(
      headers, [&](const Header& header) { return lower_ascii(header.name) == lower_ascii(name); });
}

}  // namespace

bool is_alias(std::string_view text) {
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  return !text.empty() && text.size() <= 64 && small(text[0]) &&
         std::ranges::all_of(
             text, [&](char c) { return small(c) || (c >= '0' && c <= '9') || c == '-'; }) &&
         !Uuid::parse(text);
}

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

void settle(Reading& reading, EventType& type) {
  settle_direction(reading, type);
  const Reading::Place place{reading, "fields"};
  check_size(reading, type.fields);
  if (fields_to_json(type.fields).size() > limits::kEventFieldBytes)
    reading.refuse("too-long", std::format("Takes more than {} bytes with all its options.",
                                           limits::kEventFieldBytes));
}

void settle_headers(Reading& reading, const std::vector<Header>& before, EventType& type) {
  const Reading::Place place{reading, "headers"};
  for (std::size_t i = 0; i < type.headers.size(); ++i) {
    const Reading::Place element{reading, std::to_string(i)};
    Header& header = type.headers[i];
    const auto first = find_header(type.headers, header.name);
    if (first - type.headers.begin() != static_cast<std::ptrdiff_t>(i))
      reading.refuse_at("name", "duplicate", "Another header has this name.");
    if (header.value) continue;
    const auto kept = find_header(before, header.name);
    if (kept == before.end()) {
      reading.refuse_at("value", "required", "Is missing, and there is none to keep.");
    } else {
      header = *kept;
    }
  }
}

bool changes_delivery(const EventType& before, const EventType& after) {
  return before.url != after.url ||
         !std::ranges::equal(
             before.headers, after.headers, [](const Header& one, const Header& other) {
               return one.name == other.name && one.sealed == other.sealed && !other.value;
             });
}

void check_change(Reading& reading, const EventType& before, const EventType& after) {
  const auto fixed = [&](std::string_view name, bool same) {
    if (!same) reading.refuse_at(name, "read-only", "Cannot change once the type is there.");
  };
  fixed("direction", before.direction == after.direction);
  fixed("alias", before.alias == after.alias);
  fixed("additionalMembers", before.additional_members == after.additional_members);
  const Reading::Place place{reading, "fields"};
  check_change(reading, before.fields, after.fields);
}

std::string new_signing_secret() {
  // Letters and digits are base64, too: 44 of them stand for 33 bytes.
  return "whsec_" + random_base62(44);
}

std::string header_context(std::int64_t account, const EventType& type, std::string_view header) {
  return std::format("{} {} header {}", account, type.id.to_string(), lower_ascii(header));
}

std::string secret_context(std::int64_t account, const EventType& type) {
  return std::format("{} {} signing secret", account, type.id.to_string());
}

void seal_headers(const keyring::Keyring& keyring, std::int64_t account, EventType& type) {
  for (auto& header : type.headers) {
    if (!header.value) continue;
    header.sealed = to_hex(keyring.seal(*header.value, header_context(account, type, header.name)));
    header.value.reset();
  }
}

}  // namespace shopbell::integrations
