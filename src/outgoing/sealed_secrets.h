// SealedSecrets: the encrypted values of a webhook or event type, and the keys of the keyring that
// they depend on.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/uuid.h"
#include "keyring/keyring.h"
#include "outgoing/sent_header.h"

namespace shopbell::outgoing {

struct SealedSecrets {
  Uuid owner;  // the webhook or event type
  std::int64_t version = 0;
  SentHeaders headers;
  std::optional<std::vector<std::uint8_t>> signing_secret;
  std::optional<std::vector<std::uint8_t>> previous_signing_secret;
};

// Ids of the keys that decrypt the values; 0 if no key of the ring decrypts one of them.
std::set<int> keys_of(const keyring::Keyring& keyring, std::int64_t account,
                      const SealedSecrets& secrets);

// Encrypts the values under the key in force. Returns false if no value changed: each was encrypted
// under that key already, or cannot be decrypted.
bool reseal(const keyring::Keyring& keyring, std::int64_t account, SealedSecrets& secrets);

}  // namespace shopbell::outgoing
