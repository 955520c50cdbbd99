#include "storage/s3_signature.h"

#include <algorithm>
#include <format>

#include "base/digest.h"

namespace shopbell::storage {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";

std::string hash_of(std::string_view text) { return to_hex(sha256(text)); }

std::string stamp_of(Instant now) {
  return std::format("{:%Y%m%dT%H%M%SZ}", std::chrono::floor<std::chrono::seconds>(now));
}

// The day, region and service that a signature is valid for.
std::string scope_of(const S3Credentials& credentials, std::string_view stamp) {
  return std::format("{}/{}/s3/aws4_request", stamp.substr(0, 8), credentials.region);
}

std::string signed_names(const Pairs& headers) {
  std::string names;
  for (const auto& [name, value] : headers) names += (names.empty() ? "" : ";") + name;
  return names;
}

// `headers` includes the host and is sorted.
std::string canonical(const S3Call& call, const Pairs& headers, std::string_view payload_hash) {
  std::string text = std::format("{}\n{}\n{}\n", call.method, call.path, query_of(call.query));
  for (const auto& [name, value] : headers) text += std::format("{}:{}\n", name, value);
  return text + std::format("\n{}\n{}", signed_names(headers), payload_hash);
}

std::string signature(const S3Credentials& credentials, std::string_view stamp,
                      std::string_view canonical_call) {
  const auto chained = [](const Sha256& key, std::string_view text) {
    return hmac_sha256(key, text);
  };
  const std::string first = "AWS4" + credentials.secret;
  const std::span key{reinterpret_cast<const std::uint8_t*>(first.data()), first.size()};
  const Sha256 of_day = hmac_sha256(key, stamp.substr(0, 8));
  const Sha256 of_region = chained(of_day, credentials.region);
  const Sha256 of_service = chained(of_region, "s3");
  const Sha256 signing_key = chained(of_service, "aws4_request");
  return to_hex(
      chained(signing_key, std::format("{}\n{}\n{}\n{}", kAlgorithm, stamp,
                                       scope_of(credentials, stamp), hash_of(canonical_call))));
}

}  // namespace

std::string encoded(std::string_view text, Slashes slashes) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' ||
                       (c == '/' && slashes == Slashes::kept);
    if (plain) {
      out += c;
    } else {
      out += std::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string query_of(const Pairs& query) {
  Pairs parts;
  for (const auto& [name, value] : query) {
    parts.emplace_back(encoded(name, Slashes::encoded), encoded(value, Slashes::encoded));
  }
  std::ranges::sort(parts);
  std::string text;
  for (const auto& [name, value] : parts) {
    text += std::format("{}{}={}", text.empty() ? "" : "&", name, value);
  }
  return text;
}

Pairs signed_headers(const S3Credentials& credentials, S3Call call, const std::string& payload_hash,
                     Instant now) {
  const std::string stamp = stamp_of(now);
  call.headers.emplace_back("x-amz-date", stamp);
  call.headers.emplace_back("x-amz-content-sha256", payload_hash);
  Pairs all = call.headers;
  all.emplace_back("host", call.host);
  std::ranges::sort(all);
  call.headers.emplace_back(
      "authorization",
      std::format("{} Credential={}/{}, SignedHeaders={}, Signature={}", kAlgorithm,
                  credentials.key_id, scope_of(credentials, stamp), signed_names(all),
                  signature(credentials, stamp, canonical(call, all, payload_hash))));
  return std::move(call.headers);
}

std::string signed_query(const S3Credentials& credentials, S3Call call, std::chrono::seconds valid,
                         Instant now) {
  const std::string stamp = stamp_of(now);
  const Pairs host{{"host", call.host}};
  call.query.emplace_back("X-Amz-Algorithm", kAlgorithm);
  call.query.emplace_back("X-Amz-Credential",
                          credentials.key_id + "/" + scope_of(credentials, stamp));
  call.query.emplace_back("X-Amz-Date", stamp);
  call.query.emplace_back("X-Amz-Expires", std::to_string(valid.count()));
  call.query.emplace_back("X-Amz-SignedHeaders", "host");
  const std::string signed_by =
      signature(credentials, stamp, canonical(call, host, "UNSIGNED-PAYLOAD"));
  return query_of(call.query) + "&X-Amz-Signature=" + signed_by;
}

}  // namespace shopbell::storage
