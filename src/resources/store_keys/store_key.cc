#include "resources/store_keys/store_key.h"

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::store_keys {

std::optional<StoreKey> key_of(const http::Call& call, bool by_store_id) {
  if (!by_store_id) {
    const auto id = Uuid::parse(call.path("id"));
    return id ? std::optional{StoreKey{.id = id}} : std::nullopt;
  }
  std::string text = to_nfc(call.path("id")).value_or("");
  if (!is_name(text, limits::kStoreIdCharacters)) return std::nullopt;
  return StoreKey{.store_id = std::move(text)};
}

}  // namespace shopbell::store_keys
