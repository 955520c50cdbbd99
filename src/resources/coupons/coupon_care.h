// Coupon sets as an operator handles them, outside of any request; by the same decisions. The scope
// names the account. They throw the Problem that refuses.
#pragma once

#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/coupons/coupon_set.h"

namespace shopbell::coupons {

boost::asio::awaitable<CouponSet> make_set(pg::Pool& database, pg::Scope scope, CouponSet set);
// Any number; as many as a request takes at once.
boost::asio::awaitable<CodesAdded> put_codes(pg::Pool& database, pg::Scope scope, std::string set,
                                             std::vector<std::string> codes);

}  // namespace shopbell::coupons
