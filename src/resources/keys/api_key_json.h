// The API key's wire names.
#pragma once

#include "json/fields.h"
#include "resources/keys/api_key.h"

namespace shopbell::keys {

// `scopes` are those a key can have.
json::Table<ApiKey> api_key_json(const std::vector<std::string>& scopes);
// The same with the token, for the answer that shows it.
json::Table<ApiKey> created_key_json(const std::vector<std::string>& scopes);

}  // namespace shopbell::keys
