#include "resources/coupons/coupon_care.h"

#include <algorithm>
#include <ranges>

#include "base/limits.h"
#include "json/reading.h"
#include "resources/coupons/coupon_json.h"
#include "resources/coupons/coupon_store.h"
#include "resources/coupons/set_rules.h"

namespace shopbell::coupons {

namespace {

boost::asio::awaitable<CodesAdded> put_some(pg::Pool& database, pg::Scope scope, std::string set,
                                            std::vector<std::string> codes) {
  for (int attempt = 1;; ++attempt) {
    pg::Group reads;
    read_set(reads, *scope.account, set);
    read_codes(reads, *scope.account, codes);
    const pg::Results found = co_await database.run(std::move(reads), scope);
    const CouponSet into = existing(found_set(found[0]));
    refuse_shared(into);
    pg::Group effect;
    const CodesAdded added =
        add_codes(effect, *scope.account, into, codes, found_codes(found[1]), system_clock().now());
    try {
      if (!effect.empty()) co_await database.commit(std::move(effect), scope);
      co_return added;
    } catch (const pg::Error& error) {
      if (!error.is_overtaken() || attempt == limits::kWriteAttempts) throw;
    }
  }
}

}  // namespace

boost::asio::awaitable<CouponSet> make_set(pg::Pool& database, pg::Scope scope, CouponSet set) {
  json::Reading reading;
  check_set(reading, set);
  reading.finish();
  pg::Group reads;
  read_new_set(reads, *scope.account, set);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  pg::Group effect;
  create_set(effect, *scope.account, set, found, system_clock().now());
  co_await database.commit(std::move(effect), scope);
  co_return set;
}

boost::asio::awaitable<CodesAdded> put_codes(pg::Pool& database, pg::Scope scope, std::string set,
                                             std::vector<std::string> codes) {
  CodesAdded all;
  for (const auto& chunk : codes | std::views::chunk(limits::kCouponsAdded)) {
    CodesAdded added = co_await put_some(database, scope, set, {chunk.begin(), chunk.end()});
    all.added += added.added;
    std::ranges::move(added.duplicates, std::back_inserter(all.duplicates));
  }
  co_return all;
}

}  // namespace shopbell::coupons
