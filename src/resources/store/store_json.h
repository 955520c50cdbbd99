// JSON of a store.
#pragma once

#include "json/fields.h"
#include "resources/store/store.h"

namespace shopbell::store {

const json::Table<Store>& store_json();

}  // namespace shopbell::store
