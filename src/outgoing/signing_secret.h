// The secret by which what is sent out is signed, as Standard Webhooks has it.
#pragma once

#include <cstdint>
#include <string>

#include "base/uuid.h"

namespace shopbell::outgoing {

// `whsec_…`
std::string new_signing_secret();

// It opens only as the secret of that owner.
std::string secret_context(std::int64_t account, const Uuid& owner);

}  // namespace shopbell::outgoing
