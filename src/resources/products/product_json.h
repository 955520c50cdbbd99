// The product's wire names.
#pragma once

#include "json/fields.h"
#include "resources/products/product.h"

namespace shopbell::products {

const json::Table<Product>& product_json();

}  // namespace shopbell::products
