#include "outgoing/sealed_secrets.h"

#include <span>

#include "base/digest.h"
#include "outgoing/signing_secret.h"

namespace shopbell::outgoing {

namespace {

// Calls `visit(bytes, context)` for each value. `visit` returns the value's new bytes, or nullopt
// to keep it.
template <class Secrets, class Visit>
void visit_values(std::int64_t account, Secrets& secrets, Visit visit) {
  for (auto* secret : {&secrets.signing_secret, &secrets.previous_signing_secret}) {
    if (!*secret) continue;
    const auto changed = visit(**secret, secret_context(account, secrets.owner));
    if constexpr (!std::is_const_v<Secrets>)
      if (changed) *secret = *changed;
  }
  for (auto& header : secrets.headers) {
    const auto sealed = from_hex(header.sealed).value_or(std::vector<std::uint8_t>{});
    const auto changed = visit(sealed, header_context(account, secrets.owner, header.name));
    if constexpr (!std::is_const_v<Secrets>)
      if (changed) header.sealed = to_hex(*changed);
  }
}

using Bytes = std::vector<std::uint8_t>;

}  // namespace

std::set<int> keys_of(const keyring::Keyring& keyring, std::int64_t account,
                      const SealedSecrets& secrets) {
  std::set<int> keys;
  visit_values(account, secrets, [&](const Bytes& sealed, const std::string& context) {
    const auto opened = keyring.open(sealed, context);
    keys.insert(opened ? opened->key : 0);
    return std::optional<Bytes>{};
  });
  return keys;
}

bool reseal(const keyring::Keyring& keyring, std::int64_t account, SealedSecrets& secrets) {
  bool changed = false;
  visit_values(account, secrets, [&](const Bytes& sealed, const std::string& context) {
    const auto opened = keyring.open(sealed, context);
    if (!opened || opened->key == keyring.id_in_force()) return std::optional<Bytes>{};
    changed = true;
    return std::optional{keyring.seal(opened->plain, context)};
  });
  return changed;
}

}  // namespace shopbell::outgoing
