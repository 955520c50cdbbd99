#include "outgoing/signature.h"

#include <format>

#include "base/base64.h"
#include "base/digest.h"

namespace shopbell::outgoing {

Signature sign(std::span<const std::string> secrets, std::string_view id, Instant at,
               std::string_view body) {
  constexpr std::string_view kPrefix = "whsec_";
  const auto second = std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
  Signature signature{.timestamp = std::to_string(second), .signatures = ""};
  const std::string signed_text = std::format("{}.{}.{}", id, signature.timestamp, body);
  for (const auto& secret : secrets) {
    if (!secret.starts_with(kPrefix)) continue;
    const auto key = from_base64(std::string_view{secret}.substr(kPrefix.size()));
    if (!key) continue;
    if (!signature.signatures.empty()) signature.signatures += ' ';
    signature.signatures += "v1," + to_base64(hmac_sha256(*key, signed_text));
  }
  return signature;
}

}  // namespace shopbell::outgoing
