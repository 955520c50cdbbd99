// Database access for products. Only this file uses their queries.
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
#include "resources/products/product.h"
#include "resources/products/product_change.h"

namespace shopbell::products {

using Key = operations::StoreKey;

boost::asio::awaitable<std::optional<Product>> find_product(pg::Pool& database, pg::Scope scope,
                                                            Key key);

// The reads that a write of a product needs, and the functions that parse their results.
void read_product(pg::Group& reads, std::int64_t account, const Key& key);
std::optional<Product> found_product(const pg::Result& result);
void read_store_terms(pg::Group& reads, std::int64_t account);
void learn_store_terms(const pg::Result& result, Knowledge& known);
void lock_product(pg::Group& locks, std::int64_t account, const Key& key);

// Guarded writes: each raises a conflict (SB001) if the rows changed after they were read.
void write_change(pg::Group& effect, const Change& change, const Knowledge& known);
void remove(pg::Group& effect, const Product& product, const Knowledge& known);

// Products of many accounts by the store's ids, as the lanes of workflows look them up. Runs as the
// worker role. The result has the number of each product's key, from 1.
struct AccountObject {
  std::int64_t account = 0;
  std::string id;
};
void read_products(pg::Group& reads, std::span<const AccountObject> keys);
std::vector<std::pair<std::size_t, Product>> found_products(const pg::Result& result);

struct Listing {
  std::optional<std::string> after;  // cursor: position_of() the previous page's last row
  bool ascending = false;
  std::int64_t limit = 0;
  std::optional<std::string> prefix;  // search key: start of the name
};
boost::asio::awaitable<std::vector<Product>> list_products(pg::Pool& database, pg::Scope scope,
                                                           Listing listing);
// Returns the cursor position of the product.
std::string position_of(const Product& product, bool searched);

}  // namespace shopbell::products
