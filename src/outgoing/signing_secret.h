// Secrets that sign outgoing requests, in the format of Standard Webhooks.
#pragma once

#include <cstdint>
#include <string>

#include "base/uuid.h"

namespace shopbell::outgoing {

// Returns a new random secret, `whsec_…`.
std::string new_signing_secret();

// Encryption context: the secret can be decrypted only for the same account and owner.
std::string secret_context(std::int64_t account, const Uuid& owner);

}  // namespace shopbell::outgoing
