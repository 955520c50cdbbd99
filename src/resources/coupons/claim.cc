#include "resources/coupons/claim.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/random.h"
#include "pg/columns.h"
#include "resources/coupons/queries.h"
#include "runtime/wait.h"

namespace shopbell::coupons {

void add_claim(pg::Group& effect, const Claim& claim) {
  effect.add(sql::claim_coupon, claim.account, claim.set, claim.contact, claim.id, claim.run);
}

Claimed found_claim(const pg::Result& result) {
  using Outcome = Claimed::Outcome;
  constexpr std::array<std::pair<std::string_view, Outcome>, 5> kOutcomes{
      {{"given", Outcome::given},
       {"empty", Outcome::empty},
       {"expired", Outcome::expired},
       {"no-set", Outcome::no_set},
       {"no-contact", Outcome::no_contact}}};
  const std::string_view text = result[0].view("outcome");
  for (const auto& [name, outcome] : kOutcomes) {
    if (name == text) return {outcome, result[0].maybe_text("code").value_or("")};
  }
  throw std::logic_error{"claim_coupon() returned an unknown outcome"};
}

void add_lane_claims(pg::Group& effect, std::span<const LaneClaim> claims) {
  pg::Columns rows;
  for (const auto& one : claims)
    rows.add(one.account, one.set, one.contact, one.id, one.run, one.reuse);
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

boost::asio::awaitable<Claimed> claim_coupon(pg::Pool& database, Claim claim, pg::Scope scope) {
  for (int attempt = 1;; ++attempt) {
    try {
      pg::Group effect;
      add_claim(effect, claim);
      const pg::Results results = co_await database.commit(std::move(effect), scope);
      co_return found_claim(results[0]);
    } catch (const pg::Error& error) {
      if (!error.is_overtaken() || attempt == limits::kWriteAttempts) throw;
    }
    co_await runtime::sleep_for(std::chrono::duration_cast<runtime::Steady::duration>(
        limits::kWritePause * jitter() * attempt));
  }
}

}  // namespace shopbell::coupons
