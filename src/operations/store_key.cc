#include "operations/store_key.h"

#include "base/limits.h"
#include "base/text.h"

namespace shopbell::operations {

std::optional<StoreKey> store_key_of(const Input& input, bool by_store_id) {
  if (!by_store_id) {
    const auto id = Uuid::parse(input.path("id"));
    return id ? std::optional{StoreKey{.id = id}} : std::nullopt;
  }
  std::string text = to_nfc(input.path("id")).value_or("");
  if (!is_name(text, limits::kStoreIdCharacters)) return std::nullopt;
  return StoreKey{.store_id = std::move(text)};
}

}  // namespace shopbell::operations
