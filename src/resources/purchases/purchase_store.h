// Purchases in the database: the only place that names their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/purchases/purchase.h"
#include "resources/purchases/purchase_change.h"
#include "resources/store_keys/store_key.h"

namespace shopbell::purchases {

using Key = store_keys::StoreKey;

boost::asio::awaitable<std::optional<Purchase>> find_purchase(pg::Pool& database, pg::Scope scope,
                                                              Key key);

// Reads of a write, and what is found by them: the purchase, and the people concerned.
void read_purchase(pg::Group& reads, std::int64_t account, const Key& key);
std::optional<Stored> found_purchase(const pg::Result& result);
void read_people(pg::Group& reads, std::int64_t account, const Key& key,
                 const contacts::Keys& named);
void lock_all(pg::Group& locks, std::int64_t account, const Key& key, const contacts::Keys& named);

// What happens, each guarded: refused as overtaken when it no longer fits what was read.
void write_change(pg::Group& effect, const Change& change, const contacts::Knowledge& known);
void remove(pg::Group& effect, const Change& change, const contacts::Knowledge& known);

struct Listing {
  std::optional<std::string> after;  // the position the page before ended at
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> prefix;  // of the store's id
  std::optional<Uuid> contact_id;
  std::optional<std::string> status;
  std::optional<Instant> from;
  std::optional<Instant> to;
};
boost::asio::awaitable<std::vector<Purchase>> list_purchases(pg::Pool& database, pg::Scope scope,
                                                             Listing listing);
// Where a page that shows the purchase last ends.
std::string position_of(const Purchase& purchase, bool searched);

}  // namespace shopbell::purchases
