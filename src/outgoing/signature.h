// How what is sent out is signed, so that its receiver knows that it is ours and of now: as
// Standard Webhooks has it, version 1 of the symmetric scheme.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace shopbell::outgoing {

// The headers `webhook-timestamp` and `webhook-signature`; the latter has one signature by each of
// the secrets, which look like `whsec_…`.
struct Signature {
  std::string timestamp;
  std::string signatures;
};
Signature sign(std::span<const std::string> secrets, std::string_view id, Instant at,
               std::string_view body);

}  // namespace shopbell::outgoing
