// JSON of a purchase.
#pragma once

#include "json/fields.h"
#include "resources/purchases/purchase.h"

namespace shopbell::purchases {

const json::Table<Purchase>& purchase_json();

}  // namespace shopbell::purchases
