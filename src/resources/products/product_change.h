// A change of a product, decided: what it is after a patch, and which events tell of it. Nothing
// here asks the database.
#pragma once

#include <string>
#include <vector>

#include "events/event.h"
#include "json/fields.h"
#include "resources/products/product.h"

namespace shopbell::products {

// What has to be known to decide.
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

// `before` is not there yet, or as it was read; it has its ids.
Change decide_change(json::Reading& reading, const Product& before,
                     const json::Changes<Product>& patch, const Knowledge& known);

events::Event deletion_event(const Product& product, const Knowledge& known);

// Which lane tells of a product: those of one product are told in order.
std::int16_t lane_of(std::int64_t account, std::string_view product_id);

}  // namespace shopbell::products
