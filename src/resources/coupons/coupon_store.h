// Database access for coupon sets and their codes.
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

// Reads a set by its id or alias.
void read_set(pg::Group& reads, std::int64_t account, const std::string& name);
std::optional<CouponSet> found_set(const pg::Result& result);

void read_set_count(pg::Group& reads, std::int64_t account);
std::int64_t found_set_count(const pg::Result& result);

// Finds which of these codes exist: found_codes() maps each code's key to the alias of its set.
void read_codes(pg::Group& reads, std::int64_t account, const std::vector<std::string>& codes);
std::map<std::string, std::string> found_codes(const pg::Result& result);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void insert_set(pg::Group& effect, std::int64_t account, const CouponSet& set);
void update_set(pg::Group& effect, std::int64_t account, const CouponSet& set);
void delete_set(pg::Group& effect, std::int64_t account, const CouponSet& set);

// Adds the codes that do not exist yet and returns the others as duplicates. `there` is the result
// of found_codes() for them.
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

// Moves the coupons of a contact to the one it is merged into.
void move_coupons(pg::Group& effect, std::int64_t account, const Uuid& from, const Uuid& into);

}  // namespace shopbell::coupons
