#include "tests/proofs/actors/tenant.h"

#include <format>
#include <random>

namespace shopbell::proofs {

std::vector<Tenant> create_tenants(Stage& stage, int stores, std::uint64_t seed) {
  std::mt19937_64 random{seed};
  std::vector<Tenant> tenants;
  for (int store = 1; store <= stores; ++store) {
    const AccountPair pair = stage.create_accounts(std::format("Store {}", store));
    for (const auto& [kind, account] : {std::pair{"live", pair.live}, {"test", pair.test}}) {
      const std::string mark = std::format("mk{:012x}", random() & 0xffffffffffff);
      stage.rename(account.id, "Store " + mark);
      tenants.push_back({std::format("store {}, {}", store, kind), mark, account, {}});
    }
  }
  return tenants;
}

}  // namespace shopbell::proofs
