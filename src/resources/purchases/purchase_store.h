// Database access for purchases. Only this file uses their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "operations/store_key.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/purchases/purchase.h"
#include "resources/purchases/purchase_change.h"

namespace shopbell::purchases {

using Key = operations::StoreKey;

boost::asio::awaitable<std::optional<Purchase>> find_purchase(pg::Pool& database, pg::Scope scope,
                                                              Key key);

// The reads and locks of a write: of the purchase, its contact, and the contacts in the request.
void read_purchase(pg::Group& reads, std::int64_t account, const Key& key);
std::optional<Stored> found_purchase(const pg::Result& result);
void read_people(pg::Group& reads, std::int64_t account, const Key& key,
                 const contacts::Keys& named);
void lock_all(pg::Group& locks, std::int64_t account, const Key& key, const contacts::Keys& named);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void write_change(pg::Group& effect, const Change& change, const contacts::Knowledge& known);
void remove(pg::Group& effect, const Change& change, const contacts::Knowledge& known);

// Purchases of many accounts by the store's ids, as the lanes of workflows look them up. Runs as
// the worker role. The result has the number of each purchase's key, from 1.
struct AccountObject {
  std::int64_t account = 0;
  std::string id;
};
void read_purchases(pg::Group& reads, std::span<const AccountObject> keys);
std::vector<std::pair<std::size_t, Purchase>> found_purchases(const pg::Result& result);

// Purchases that events of one batch of the lanes are about. Each is attributed to the workflow
// that led to it, if any, with the amount that it has now; a deleted one no longer. Each id comes
// once. Repeating it changes nothing. Runs as the worker role.
struct Attributable {
  std::int64_t account = 0;
  std::string id;                          // the store's
  std::optional<Uuid> converted_workflow;  // the run that the purchase converted, and its workflow
  std::optional<Uuid> converted_run;
};
void attribute(pg::Group& effect, std::span<const Attributable> purchases);

struct Listing {
  std::optional<std::string> after;  // cursor: position_of() the previous page's last row
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> prefix;  // start of the purchase's store id
  std::optional<Uuid> contact_id;
  std::optional<std::string> status;
  std::optional<Instant> from;
  std::optional<Instant> to;
};
boost::asio::awaitable<std::vector<Purchase>> list_purchases(pg::Pool& database, pg::Scope scope,
                                                             Listing listing);
// Returns the cursor position of the purchase.
std::string position_of(const Purchase& purchase, bool searched);

}  // namespace shopbell::purchases
