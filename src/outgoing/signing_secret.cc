#include "outgoing/signing_secret.h"

#include <format>

#include "base/random.h"

namespace shopbell::outgoing {

std::string new_signing_secret() {
  // Letters and digits are valid base64: 44 of them decode to 33 bytes.
  return "whsec_" + random_base62(44);
}

std::string secret_context(std::int64_t account, const Uuid& owner) {
  return std::format("{} {} signing secret", account, owner.to_string());
}

}  // namespace shopbell::outgoing
