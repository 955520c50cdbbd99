#include "tests/proofs/actors/tenant.h"

namespace shopbell::proofs {

std::size_t fill(Tenant& tenant, const Catalogue& catalogue, Maker& maker) {
  for (const auto& route : catalogue.routes()) {
    if (!route.access.needs_key()) continue;
    if (!has_parameters(route)) {
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
    if (!has_parameters(route)) paths.emplace_back(&route, route.path);
    const auto own = tenant.objects.find(&route);
    if (own != tenant.objects.end()) paths.emplace_back(&route, own->second.path);
  }
  return paths;
}

}  // namespace shopbell::proofs
