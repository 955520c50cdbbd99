// Coupon sets and their codes in the database: the only place that names their queries.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/coupons/coupon_set.h"

namespace shopbell::coupons {

// A set by its id or alias.
void read_set(pg::Group& reads, std::int64_t account, const std::string& name);
std::optional<CouponSet> found_set(const pg::Result& result);

void read_set_count(pg::Group& reads, std::int64_t account);
std::int64_t found_set_count(const pg::Result& result);

// Which of these codes are there: by their keys, the alias of the set each is in.
void read_codes(pg::Group& reads, std::int64_t account, const std::vector<std::string>& codes);
std::map<std::string, std::string> found_codes(const pg::Result& result);

// What happens, each guarded: refused as overtaken when it no longer fits what was read.
void insert_set(pg::Group& effect, std::int64_t account, const CouponSet& set);
void update_set(pg::Group& effect, std::int64_t account, const CouponSet& set);
void delete_set(pg::Group& effect, std::int64_t account, const CouponSet& set);

// Adds those of the codes that are not there yet, and says which were. `there` is what was found of
// them.
CodesAdded add_codes(pg::Group& effect, std::int64_t account, const CouponSet& set,
                     const std::vector<std::string>& codes,
                     const std::map<std::string, std::string>& there, Instant now);

boost::asio::awaitable<std::vector<CouponSet>> list_sets(pg::Pool& database, pg::Scope scope,
                                                         std::optional<std::string> after,
                                                         bool ascending, std::int64_t limit);
boost::asio::awaitable<std::vector<CouponCode>> list_codes(pg::Pool& database, pg::Scope scope,
                                                           Uuid set,
                                                           std::optional<std::string> after,
                                                           bool ascending, std::int64_t limit);

// A contact's coupons become another's, who is the same person.
void move_coupons(pg::Group& effect, std::int64_t account, const Uuid& from, const Uuid& into);

}  // namespace shopbell::coupons
