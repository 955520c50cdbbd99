#include "operations/idempotency.h"

#include <algorithm>
#include <format>
#include <stdexcept>

#include "base/limits.h"
#include "base/seal.h"
#include "json/document.h"
#include "json/writer.h"
#include "operations/queries.h"

namespace shopbell::operations {

namespace {

// Member names in stored outputs. They must not change, because older outputs contain them.
constexpr std::string_view kLocation = "Location";
constexpr std::string_view kApplied = "Shopbell-Applied";
constexpr std::string_view kPreference = "Preference-Applied";

std::string to_text(const Output& output) {
  json::Writer writer;
  writer.begin_object();
  writer.key("status").integer(static_cast<int>(output.outcome));
  writer.key("contentType").text(output.content_type);
  writer.key("etag").text(output.etag);
  writer.key("headers").begin_object();
  for (const auto& applied : output.preferences_applied) writer.key(kPreference).text(applied);
  if (!output.location.empty()) writer.key(kLocation).text(output.location);
  for (const auto& applied : output.applied) writer.key(kApplied).text(applied);
  writer.end();
  writer.key("body").text(output.body);
  writer.end();
  return writer.finish();
}

Output from_text(const std::string& text) {
  const auto document = json::Document::parse(text);
  if (!document) throw std::runtime_error{"a stored output is unreadable"};
  const json::Value root = document->root();
  Output output{.outcome = Outcome{std::stoi(std::string{root.member("status")->number_text()})},
                .content_type = std::string{root.member("contentType")->text()},
                .body = std::string{root.member("body")->text()},
                .etag = std::string{root.member("etag")->text()},
                .replayed = true};
  root.member("headers")->for_each([&](std::string_view name, const json::Value& value) {
    if (name == kLocation) output.location = value.text();
    if (name == kApplied) output.applied.emplace_back(value.text());
    if (name == kPreference) output.preferences_applied.emplace_back(value.text());
  });
  return output;
}

std::string named(const Input& input, const std::string& key) {
  return std::format("{} {}", input.account(), key);
}

std::string context_of(std::int64_t account, const Sha256& hash) {
  return std::format("{} {}", account, to_hex(hash));
}

}  // namespace

std::vector<Sha256> claim_hashes(const Input& input) {
  const auto& sent = input.idempotency_key();
  if (!sent) return {};
  return input.keyring().recent_hashes(keyring::Purpose::idempotency_keys, named(input, sent->key),
                                       limits::kAnswersKept);
}

std::optional<Claim> Claim::of(const Input& input) {
  const auto& sent = input.idempotency_key();
  if (!sent) return std::nullopt;
  Claim claim;
  claim.account_ = input.account();
  claim.hashes_ = claim_hashes(input);
  claim.sealing_keys_ = input.keyring().recent_hashes(
      keyring::Purpose::answers, named(input, sent->key), limits::kAnswersKept);
  claim.in_force_ = input.keyring().in_force();
  const Sha256 body = input.has_upload() ? input.upload().digest() : sha256(input.body_text());
  claim.request_hash_ = sha256(std::format("{}\n{}", sent->request, to_hex(body)));
  return claim;
}

std::optional<Output> Claim::find_answer(const pg::Row& row) const {
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
  throw std::runtime_error{"a stored output cannot be unsealed"};
}

void Claim::add_to(pg::Group& group, const Output& output) const {
  const Sha256& hash = hashes_[in_force_];
  const auto sealed = seal(sealing_keys_[in_force_], to_text(output), context_of(account_, hash));
  group.add(sql::insert_claim, account_, std::span<const std::uint8_t>{hash},
            std::span<const std::uint8_t>{request_hash_}, std::span<const std::uint8_t>{sealed});
}

}  // namespace shopbell::operations
