// Signatures of the messages in the intake topic. Access to the topic alone is not enough to write
// into an account: each message carries an HMAC under the installation's keyring. It covers
// everything that decides about the message: topic, partition, origin, key and value. The origin's
// number makes a replayed message a duplicate.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kafka/consumer.h"
#include "kafka/producer.h"
#include "keyring/keyring.h"

namespace shopbell::custom_events {

// Signs the messages of a producer.
kafka::Sign message_signer(const keyring::Keyring& keyring, std::string topic);

// The offset of each partition from which on messages must be signed; nullopt: all unsigned
// messages are accepted.
using SignedFrom = std::map<std::int32_t, std::optional<std::int64_t>>;

// Checks the messages of a topic.
class SignatureCheck {
 public:
  SignatureCheck(const keyring::Keyring& keyring, std::string topic)
      : keyring_{keyring}, topic_{std::move(topic)} {}

  // Without a signature a message is valid only below its partition's offset in `signed_from`. A
  // partition that is not listed requires signatures.
  bool is_valid(const kafka::Message& message, const SignedFrom& signed_from) const;

 private:
  const keyring::Keyring& keyring_;
  const std::string topic_;
};

}  // namespace shopbell::custom_events
