#include "resources/workflows/interest.h"

#include <array>
#include <string_view>
#include <vector>

#include "resources/workflows/queries.h"

namespace shopbell::workflows {

namespace {

// Commands, transfers between contacts and erasures, which lanes need for every account with runs.
constexpr std::array<std::string_view, 9> kInternalKinds{
    "adopt",       "contact.deleted", "delivery-ended", "forward",  "handover",
    "run-command", "schedule-start",  "wake",           "wake-more"};

}  // namespace

void raise_interest(pg::Group& effect, std::int64_t account, std::set<std::string> kinds) {
  kinds.insert(kInternalKinds.begin(), kInternalKinds.end());
  effect.add(sql::raise_interest, account, std::vector<std::string>(kinds.begin(), kinds.end()));
}

}  // namespace shopbell::workflows
