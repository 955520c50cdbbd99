#include "resources/products/product.h"

#include "base/text.h"

namespace shopbell::products {

std::optional<bool> is_orderable(const std::optional<std::string>& availability,
                                 const std::optional<std::int64_t>& stock) {
  if (availability) return *availability != "outOfStock" && *availability != "discontinued";
  if (stock) return *stock > 0;
  return std::nullopt;
}

void settle_digits(Product& product) {
  product.minor_digits = minor_digits(product.currency);
  for (auto& [id, variant] : product.variants) variant.minor_digits = product.minor_digits;
}

}  // namespace shopbell::products
