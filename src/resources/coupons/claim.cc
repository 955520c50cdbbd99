#include "resources/coupons/claim.h"

#include "pg/columns.h"
#include "resources/coupons/queries.h"

namespace shopbell::coupons {

void add_lane_claims(pg::Group& effect, std::span<const LaneClaim> claims) {
  pg::Columns rows;
  for (const auto& one : claims)
    rows.add(one.account, one.set, one.contact, one.id, one.run, one.workflow, one.node, one.reuse);
  rows.add_to(effect, sql::claim_coupons);
}

std::vector<std::optional<std::string>> found_lane_claims(const pg::Result& result,
                                                          std::size_t count) {
  std::vector<std::optional<std::string>> codes(count);
  for (std::size_t i = 0; i < result.size(); ++i)
    codes.at(static_cast<std::size_t>(result[i].integer("number") - 1)) =
        result[i].maybe_text("code");
  return codes;
}

void add_releases(pg::Group& effect, std::span<const std::pair<std::int64_t, Uuid>> claims) {
  pg::Columns rows;
  for (const auto& [account, id] : claims) rows.add(account, id);
  rows.add_to(effect, sql::release_coupons);
}

}  // namespace shopbell::coupons
