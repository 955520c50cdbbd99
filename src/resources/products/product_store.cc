#include "resources/products/product_store.h"

#include <stdexcept>

#include "base/identity.h"
#include "base/limits.h"
#include "base/text.h"
#include "json/document.h"
#include "pg/columns.h"
#include "resources/products/product_json.h"
#include "resources/products/queries.h"

namespace shopbell::products {

namespace {

Product product_of(const pg::Row& row) {
  const auto document = json::Document::parse(row.view("data"));
  if (!document) throw std::logic_error{"a stored product is not JSON"};
  Product product;
  json::Reading reading{json::Strictness::lenient};
  product_json().read_patch(document->root(), reading).apply_to(product);
  product.id = row.uuid("product_id");
  product.product_id = row.text("store_id");
  product.source_updated_at = row.maybe_instant("source_updated_at");
  product.created_at = row.instant("created_at");
  product.updated_at = row.instant("updated_at");
  product.version = row.integer("version");
  settle_digits(product);
  return product;
}

// Returns the search key of the name, truncated so that it fits an index.
std::string name_key(const Product& product) {
  return beginning_of(search_key(product.name), limits::kSearchKeyBytes);
}

std::vector<Product> products_of(const pg::Result& result) { return result.map(product_of); }

}  // namespace

boost::asio::awaitable<std::optional<Product>> find_product(pg::Pool& database, pg::Scope scope,
                                                            Key key) {
  pg::Group reads;
  read_product(reads, *scope.account, key);
  const pg::Results found = co_await database.run(std::move(reads), scope);
  co_return found_product(found[0]);
}

void read_product(pg::Group& reads, std::int64_t account, const Key& key) {
  if (key.id) {
    reads.add(sql::get_product, account, *key.id);
  } else {
    reads.add(sql::get_product_by_store_id, account, key.store_id);
  }
}

std::optional<Product> found_product(const pg::Result& result) {
  const auto row = result.first();
  if (!row) return std::nullopt;
  return product_of(*row);
}

void read_products(pg::Group& reads, std::span<const AccountObject> keys) {
  pg::Columns rows;
  for (const auto& [account, id] : keys) rows.add(account, id);
  rows.add_to(reads, sql::find_products_of_accounts);
}

std::vector<std::pair<std::size_t, Product>> found_products(const pg::Result& result) {
  return result.map([](const pg::Row& row) {
    return std::pair{static_cast<std::size_t>(row.integer("number")), product_of(row)};
  });
}

void read_store_terms(pg::Group& reads, std::int64_t account) {
  reads.add(sql::get_store_terms, account);
}

void learn_store_terms(const pg::Result& result, Knowledge& known) {
  known.store_currency = result[0].text("currency");
  known.store_domains = result[0].texts("domains");
}

void lock_product(pg::Group& locks, std::int64_t account, const Key& key) {
  locks.add(sql::lock_product, account, key.id, key.store_id);
}

void write_change(pg::Group& effect, const Change& change, const Knowledge& known) {
  const Product& after = change.after;
  effect.add(change.before.exists() ? sql::update_product : sql::insert_product, known.account,
             after.id, change.before.version, after.product_id, name_key(after),
             product_json().to_json(after), after.source_updated_at, after.created_at,
             after.updated_at);
  for (const auto& event : change.events) events::append(effect, known.account, event);
}

void remove(pg::Group& effect, const Product& product, const Knowledge& known) {
  effect.add(sql::delete_product, known.account, product.id, product.version);
  events::append(effect, known.account, deletion_event(product, known));
}

boost::asio::awaitable<std::vector<Product>> list_products(pg::Pool& database, pg::Scope scope,
                                                           Listing listing) {
  const std::int64_t account = *scope.account;
  pg::Group reads;
  if (listing.prefix) {
    std::optional<std::string> name;
    std::optional<Uuid> id;
    if (listing.after && listing.after->size() > 36) {
      id = Uuid::parse(std::string_view{*listing.after}.substr(0, 36));
      name = listing.after->substr(37);
    }
    reads.add(sql::search_products, account, name, id, *listing.prefix,
              *listing.prefix + "\U0010FFFF", listing.limit);
  } else {
    reads.add(listing.ascending ? sql::list_oldest_products : sql::list_newest_products, account,
              listing.after ? Uuid::parse(*listing.after) : std::nullopt, listing.limit);
  }
  const pg::Results found = co_await database.run(std::move(reads), scope);
  co_return products_of(found[0]);
}

std::string position_of(const Product& product, bool searched) {
  return searched ? product.id.to_string() + " " + name_key(product) : product.id.to_string();
}

}  // namespace shopbell::products
