// Product: an article the store sells, identified by the store's own id.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/decimal.h"
#include "base/time.h"
#include "base/uuid.h"
#include "json/field_kinds.h"

namespace shopbell::products {

// A variant of a product, such as a size or a colour.
struct Variant {
  std::optional<std::string> name;
  std::optional<std::string> sku;
  std::optional<std::string> gtin;
  std::optional<Decimal> price;
  std::optional<Decimal> original_price;
  std::optional<std::string> availability;
  std::optional<std::int64_t> stock;
  std::optional<std::string> image_url;
  std::map<std::string, json::Raw> attributes;
  int minor_digits = 2;  // fraction digits of the product's currency
};

struct Translation {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> url;
};

struct Product {
  Uuid id;
  std::string product_id;  // the store's own id of the product
  std::string name;
  std::string url;
  std::optional<std::string> description;
  std::optional<std::string> brand;
  std::optional<std::string> sku;
  std::optional<std::string> gtin;
  std::vector<std::string> categories;
  std::vector<std::string> tags;
  std::optional<std::string> image_url;
  std::optional<std::string> thumbnail_url;
  std::optional<Decimal> price;
  std::optional<Decimal> original_price;
  std::optional<Decimal> price_without_tax;
  std::string currency;
  std::map<std::string, Decimal> prices;  // prices in other currencies, by currency
  std::optional<std::string> availability;
  std::optional<std::int64_t> stock;
  std::optional<Decimal> rating;
  std::optional<std::int64_t> rating_count;
  std::optional<std::int64_t> review_count;
  std::optional<std::int64_t> priority;
  bool hidden = false;
  std::optional<Instant> published_at;
  std::vector<std::string> related_product_ids;
  std::map<std::string, json::Raw> attributes;
  std::map<std::string, Translation> translations;
  std::map<std::string, Variant> variants;
  std::optional<Instant> source_updated_at;
  Instant created_at;
  Instant updated_at;

  // Internal members, which no API response contains.
  std::int64_t version = 0;  // 0: the product is not stored yet
  int minor_digits = 2;      // fraction digits of `currency`

  bool exists() const { return version > 0; }
};

// True if the article can be ordered; nullopt if the store sent neither value. The availability
// takes precedence over the stock.
std::optional<bool> is_orderable(const std::optional<std::string>& availability,
                                 const std::optional<std::int64_t>& stock);

// Sets the number of fraction digits of all amounts to that of the product's currency.
void settle_digits(Product& product);

}  // namespace shopbell::products
