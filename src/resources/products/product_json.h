// JSON of a product.
#pragma once

#include "json/fields.h"
#include "resources/products/product.h"

namespace shopbell::products {

const json::Table<Product>& product_json();

}  // namespace shopbell::products
