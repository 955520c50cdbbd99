// Products in the database: the only place that names their queries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "pg/group.h"
#include "pg/pool.h"
#include "resources/products/product.h"
#include "resources/products/product_change.h"
#include "resources/store_keys/store_key.h"

namespace shopbell::products {

using Key = store_keys::StoreKey;

boost::asio::awaitable<std::optional<Product>> find_product(pg::Pool& database, pg::Scope scope,
                                                            Key key);

// Reads of a write, and what is found by them.
void read_product(pg::Group& reads, std::int64_t account, const Key& key);
std::optional<Product> found_product(const pg::Result& result);
void read_store_terms(pg::Group& reads, std::int64_t account);
void learn_store_terms(const pg::Result& result, Knowledge& known);
void lock_product(pg::Group& locks, std::int64_t account, const Key& key);

// What happens, each guarded: refused as overtaken when it no longer fits what was read.
void write_change(pg::Group& effect, const Change& change, const Knowledge& known);
void remove(pg::Group& effect, const Product& product, const Knowledge& known);

struct Listing {
  std::optional<std::string> after;  // the position the page before ended at
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> prefix;  // of the name, folded
};
boost::asio::awaitable<std::vector<Product>> list_products(pg::Pool& database, pg::Scope scope,
                                                           Listing listing);
// Where a page that shows the product last ends.
std::string position_of(const Product& product, bool searched);

}  // namespace shopbell::products
