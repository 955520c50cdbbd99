#include "resources/custom_events/queue_signature.h"

#include <algorithm>
#include <format>

#include "base/digest.h"
#include "base/limits.h"

namespace shopbell::custom_events {

namespace {

constexpr auto kPurpose = keyring::Purpose::queue;

// Lengths separate the parts.
std::string text_to_sign(std::string_view topic, std::int32_t partition, std::string_view origin,
                         std::string_view key, std::string_view value) {
  return std::format("{}:{} {} {}:{} {}:{} {}", topic.size(), topic, partition, origin.size(),
                     origin, key.size(), key, value);
}

}  // namespace

kafka::Sign message_signer(const keyring::Keyring& keyring, std::string topic) {
  return [&keyring, topic = std::move(topic)](const kafka::NewMessage& message,
                                              std::string_view origin) {
    return to_hex(keyring.hash(
        kPurpose, text_to_sign(topic, message.partition, origin, message.key, message.value)));
  };
}

bool SignatureCheck::is_valid(const kafka::Message& message, const SignedFrom& signed_from) const {
  if (!message.signature) {
    const auto found = signed_from.find(message.partition);
    return found != signed_from.end() && (!found->second || message.offset < *found->second);
  }
  const auto sent = from_hex(*message.signature);
  if (!sent || !message.origin) return false;
  const auto hashes =
      keyring_.recent_hashes(kPurpose,
                             text_to_sign(topic_, message.partition, message.origin->to_text(),
                                          message.key, message.value),
                             limits::kSendersKept);
  return std::ranges::any_of(hashes, [&](const Sha256& hash) { return same_secret(hash, *sent); });
}

}  // namespace shopbell::custom_events
