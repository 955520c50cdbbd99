// The store's wire names.
#pragma once

#include "json/fields.h"
#include "resources/store/store.h"

namespace shopbell::store {

const json::Table<Store>& store_json();

}  // namespace shopbell::store
