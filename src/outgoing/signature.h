// Signs outgoing requests with the symmetric scheme v1 of Standard Webhooks, so that the receiver
// can verify the sender and the time.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace shopbell::outgoing {

// Values of the headers `webhook-timestamp` and `webhook-signature`. The latter has one signature
// per valid secret (`whsec_…`).
struct Signature {
  std::string timestamp;
  std::string signatures;
};
Signature sign(std::span<const std::string> secrets, std::string_view id, Instant at,
               std::string_view body);

}  // namespace shopbell::outgoing
