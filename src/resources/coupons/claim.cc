#include "resources/coupons/claim.h"

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/random.h"
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
