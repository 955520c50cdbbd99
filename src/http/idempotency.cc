#include "http/idempotency.h"

#include <algorithm>
#include <format>
#include <stdexcept>

#include "base/limits.h"
#include "base/seal.h"
#include "http/queries.h"
#include "json/document.h"
#include "json/writer.h"

namespace shopbell::http {

namespace {

std::string to_text(const Response& response) {
  json::Writer writer;
  writer.begin_object();
  writer.key("status").integer(response.status);
  writer.key("contentType").text(response.content_type);
  writer.key("etag").text(response.etag);
  writer.key("headers").begin_object();
  for (const auto& [name, value] : response.headers) writer.key(name).text(value);
  writer.end();
  writer.key("body").text(response.body);
  writer.end();
  return writer.finish();
}

Response from_text(const std::string& text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::runtime_error{"a kept answer is unreadable"};
  const json::Value root = document->root();
  Response response{.status = std::stoi(std::string{root.member("status")->number_text()}),
                    .content_type = std::string{root.member("contentType")->text()},
                    .body = std::string{root.member("body")->text()},
                    .etag = std::string{root.member("etag")->text()}};
  root.member("headers")->for_each([&](std::string_view name, const json::Value& value) {
    response.headers.emplace_back(name, value.text());
  });
  response.headers.emplace_back("Idempotent-Replayed", "true");
  return response;
}

Problem invalid(std::string detail) {
  Fault fault{Fault::Where::header, "Idempotency-Key", "invalid-format", detail};
  return Problem{Code::idempotency_key_invalid, std::move(detail), {std::move(fault)}};
}

std::string named(const Call& call, const std::string& key) {
  return std::format("{} {}", call.account(), key);
}

std::string context_of(std::int64_t account, const Sha256& hash) {
  return std::format("{} {}", account, to_hex(hash));
}

}  // namespace

std::optional<std::string> idempotency_key(const Request& request) {
  const auto is_key = [](const auto& header) { return header.first == "idempotency-key"; };
  const auto count = std::ranges::count_if(request.headers, is_key);
  if (count == 0) return std::nullopt;
  if (count > 1) throw invalid("The header is there more than once.");
  std::string_view key = request.header("idempotency-key");
  if (key.size() >= 2 && key.starts_with('"') && key.ends_with('"'))
    key = key.substr(1, key.size() - 2);
  const bool visible = std::ranges::all_of(key, [](char c) { return c > 0x20 && c < 0x7f; });
  if (key.empty() || key.size() > limits::kIdempotencyKeyBytes || !visible)
    throw invalid(std::format("The key must have 1 to {} visible ASCII characters.",
                              limits::kIdempotencyKeyBytes));
  return std::string{key};
}

std::vector<Sha256> claim_hashes(const Call& call) {
  const auto key = idempotency_key(call.request());
  if (!key) return {};
  return call.keyring().hashes(keyring::Purpose::idempotency_keys, named(call, *key));
}

std::optional<Claim> Claim::of(const Call& call) {
  const auto key = idempotency_key(call.request());
  if (!key) return std::nullopt;
  Claim claim;
  claim.account_ = call.account();
  claim.hashes_ = claim_hashes(call);
  claim.sealing_keys_ = call.keyring().hashes(keyring::Purpose::answers, named(call, *key));
  claim.in_force_ = call.keyring().in_force();
  const Request& request = call.request();
  const Sha256 body = call.has_upload() ? call.upload().digest() : sha256(call.body_text());
  claim.request_hash_ =
      sha256(std::format("{} {}\n{}", name_of(request.method), request.target, to_hex(body)));
  return claim;
}

std::optional<Response> Claim::find_answer(const pg::Row& row) const {
  if (!row.find("key_hash")) return std::nullopt;
  const auto request_hash = row.bytes("request_hash");
  if (!std::ranges::equal(request_hash, request_hash_)) {
    throw Problem{Code::idempotency_key_reused,
                  "The Idempotency-Key was used for another request.",
                  {{Fault::Where::header, "Idempotency-Key", "duplicate",
                    "Method, path, query or body differ from the first request's."}}};
  }
  const auto key_hash = row.bytes("key_hash");
  const auto answer = row.bytes("answer");
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    if (!std::ranges::equal(key_hash, hashes_[i])) continue;
    const auto text = unseal(sealing_keys_[i], answer, context_of(account_, hashes_[i]));
    if (!text) break;
    return from_text(*text);
  }
  throw std::runtime_error{"a kept answer cannot be unsealed"};
}

void Claim::add_to(pg::Group& group, const Response& response) const {
  const Sha256& hash = hashes_[in_force_];
  const auto sealed = seal(sealing_keys_[in_force_], to_text(response), context_of(account_, hash));
  group.add(sql::insert_claim, account_, std::span<const std::uint8_t>{hash},
            std::span<const std::uint8_t>{request_hash_}, std::span<const std::uint8_t>{sealed});
}

}  // namespace shopbell::http
