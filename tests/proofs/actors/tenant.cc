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

std::size_t fill(Tenant& tenant, const Catalogue& catalogue, Maker& maker) {
  for (const auto& route : catalogue.routes()) {
    if (!route.access.needs_key()) continue;
    if (!has_parameters(route) && naming_query(route, kNobody).empty()) {
      maker.fill_list(tenant.account, route, {.path = route.path}, tenant.mark);
      continue;
    }
    const auto object = maker.make(tenant.account, route, maker.next_mark(tenant.mark));
    if (!object) continue;
    tenant.objects.emplace(&route, *object);
    maker.fill_list(tenant.account, route, *object, tenant.mark);
  }
  return tenant.objects.size();
}

std::vector<std::pair<const Route*, std::string>> readable(const Tenant& tenant,
                                                           const Catalogue& catalogue) {
  std::vector<std::pair<const Route*, std::string>> paths;
  for (const auto& route : catalogue.routes()) {
    if (route.method != operations::Method::get || !route.access.needs_key()) continue;
    if (!has_parameters(route) && naming_query(route, kNobody).empty())
      paths.emplace_back(&route, route.path);
    const auto own = tenant.objects.find(&route);
    if (own != tenant.objects.end()) paths.emplace_back(&route, own->second.path);
  }
  return paths;
}

}  // namespace shopbell::proofs
