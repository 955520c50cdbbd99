// How a request names what the store has ids of its own for: by the service's id, or by the
// store's.
#pragma once

#include <optional>
#include <string>

#include "base/uuid.h"
#include "http/call.h"

namespace shopbell::store_keys {

struct StoreKey {
  std::optional<Uuid> id;
  std::string store_id;
};

// Of the path's `id`; nothing when the text is no such identifier, and so names nothing.
std::optional<StoreKey> key_of(const http::Call& call, bool by_store_id);

}  // namespace shopbell::store_keys
