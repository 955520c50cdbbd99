#include "resources/workflows/interest.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "resources/workflows/queries.h"

namespace shopbell::workflows {

namespace {

// Commands, transfers between contacts and erasures, which lanes need for every account with runs.
constexpr std::array<std::string_view, 9> kInternalKinds{
    "adopt",       "contact.deleted", "delivery-ended", "forward",  "handover",
    "run-command", "schedule-start",  "wake",           "wake-more"};

// Every change of a purchase has one of these events.
constexpr std::array<std::string_view, 3> kPurchaseKinds{"purchase.created", "purchase.updated",
                                                         "purchase.deleted"};

bool earns_revenue(const engine::Definition& definition) {
  const auto gives_codes = [](const engine::Node& node) {
    return std::holds_alternative<engine::Coupon>(node.what);
  };
  return std::ranges::any_of(definition.nodes, gives_codes) ||
         (definition.goal && definition.goal->match.kind.starts_with("purchase."));
}

}  // namespace

std::set<std::string> kinds_of(const engine::Definition& definition) {
  std::set<std::string> kinds = engine::awaited_kinds(definition);
  if (earns_revenue(definition)) kinds.insert(kPurchaseKinds.begin(), kPurchaseKinds.end());
  return kinds;
}

void raise_interest(pg::Group& effect, std::int64_t account, std::set<std::string> kinds) {
  kinds.insert(kInternalKinds.begin(), kInternalKinds.end());
  effect.add(sql::raise_interest, account, std::vector<std::string>(kinds.begin(), kinds.end()));
}

}  // namespace shopbell::workflows
