// StoreKey: names a product or purchase either by Shopbell's id or by the store's own id.
#pragma once

#include <optional>
#include <string>

#include "base/uuid.h"
#include "operations/input.h"

namespace shopbell::operations {

struct StoreKey {
  std::optional<Uuid> id;
  std::string store_id;
};

// Reads the path parameter `id`; nullopt if it is not a valid identifier.
std::optional<StoreKey> store_key_of(const Input& input, bool by_store_id);

}  // namespace shopbell::operations
