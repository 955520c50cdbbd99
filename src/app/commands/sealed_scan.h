// SealedScan: reads the encrypted secrets of all accounts, account by account, for the commands
// that replace keys of the keyring.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/config/config.h"
#include "app/session/operator_session.h"
#include "keyring/keyring.h"

namespace shopbell::app {

// The number of webhooks and event types that depend on each key of the ring, by its id. The id 0
// counts those with a value that no key decrypts.
struct SealedCounts {
  std::map<int, std::int64_t> webhooks;
  std::map<int, std::int64_t> event_types;
};

// Shows its progress. With `reseals`, encrypts everything under the key in force first, and counts
// what was encrypted under other keys before. If it is interrupted, the next run does the rest.
SealedCounts scan_sealed(const Config& config, OperatorSession& as_operator,
                         const keyring::Keyring& keyring, bool reseals);

// Returns a text such as "2 webhooks and 1 event type".
std::string to_text(std::int64_t webhooks, std::int64_t event_types);

}  // namespace shopbell::app
