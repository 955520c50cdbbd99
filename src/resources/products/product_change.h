// Decides a change of a product: its state after a patch, and its events. Never queries PostgreSQL.
#pragma once

#include <string>
#include <vector>

#include "events/event.h"
#include "json/fields.h"
#include "resources/products/product.h"

namespace shopbell::products {

// The inputs of a decision besides the product and the patch.
struct Knowledge {
  std::int64_t account = 0;
  Instant now;
  std::string store_currency;
  std::vector<std::string> store_domains;
  events::Trigger trigger = events::Trigger::all;
};

struct Change {
  Product before;
  Product after;
  std::vector<events::Event> events;
  bool stale = false;
  bool is_write = false;
};

// `before` is the stored product, or a new one that has only its ids.
Change decide_change(json::Reading& reading, const Product& before,
                     const json::Changes<Product>& patch, const Knowledge& known);

events::Event deletion_event(const Product& product, const Knowledge& known);

// The lane of a product's events; events of one product stay in order.
std::int16_t lane_of(std::int64_t account, std::string_view product_id);

}  // namespace shopbell::products
