#include "resources/keys/key_width.h"

#include <algorithm>
#include <format>

#include "base/ip.h"
#include "resources/keys/key_store.h"

namespace shopbell::keys {

namespace {

Fault excess_at(std::string pointer, std::string code, std::string detail) {
  return {Fault::Where::pointer, std::move(pointer), std::move(code), std::move(detail)};
}

void compare_scopes(std::vector<Fault>& faults, const ApiKey& key, const ApiKey& caller) {
  for (std::size_t i = 0; i < key.scopes.size(); ++i) {
    if (std::ranges::contains(caller.scopes, key.scopes[i])) continue;
    faults.push_back(excess_at(std::format("/scopes/{}", i), "not-an-option",
                               std::format("The calling key lacks the scope {}.", key.scopes[i])));
  }
}

void compare_expiry(std::vector<Fault>& faults, const ApiKey& key, const ApiKey& caller) {
  if (!caller.expires_at) return;
  if (key.expires_at && *key.expires_at <= *caller.expires_at) return;
  faults.push_back(
      excess_at("/expiresAt", "out-of-range",
                std::format("The calling key expires at {}.", to_rfc3339(*caller.expires_at))));
}

void compare_addresses(std::vector<Fault>& faults, const ApiKey& key, const ApiKey& caller) {
  if (caller.allowed_addresses.empty()) return;
  if (key.allowed_addresses.empty())
    faults.push_back(excess_at("/allowedAddresses", "required",
                               "The calling key is limited to some addresses."));
  for (std::size_t i = 0; i < key.allowed_addresses.size(); ++i) {
    if (network_in(key.allowed_addresses[i], caller.allowed_addresses)) continue;
    faults.push_back(excess_at(std::format("/allowedAddresses/{}", i), "out-of-range",
                               "The calling key is not allowed at all of these addresses."));
  }
}

void compare_rate(std::vector<Fault>& faults, const ApiKey& key, const ApiKey& caller) {
  const auto most = rate_of(caller.requests_per_second, caller.request_burst);
  if (!most) return;
  const auto rate = rate_of(key.requests_per_second, key.request_burst);
  if (!rate || rate->per_second > most->per_second)
    faults.push_back(
        excess_at("/requestsPerSecond", "out-of-range",
                  std::format("The calling key is limited to {} per second.", most->per_second)));
  if (rate && rate->burst > most->burst)
    faults.push_back(
        excess_at("/requestBurst", "out-of-range",
                  std::format("The calling key is limited to {} at once.", most->burst)));
}

}  // namespace

std::vector<Fault> excess_of(const ApiKey& key, const ApiKey& caller) {
  std::vector<Fault> faults;
  compare_scopes(faults, key, caller);
  compare_expiry(faults, key, caller);
  compare_addresses(faults, key, caller);
  compare_rate(faults, key, caller);
  return faults;
}

void require_within(const ApiKey& key, const ApiKey& caller) {
  std::vector<Fault> faults = excess_of(key, caller);
  if (faults.empty()) return;
  const bool by_scope = faults.front().at.starts_with("/scopes");
  throw Problem{by_scope ? Code::scope_missing : Code::key_too_wide,
                "A key cannot create or change a key that allows more than itself.",
                std::move(faults)};
}

}  // namespace shopbell::keys
