// JSON of an API key.
#pragma once

#include "json/fields.h"
#include "resources/keys/api_key.h"

namespace shopbell::keys {

// `scopes` are the valid scopes of a key.
json::Table<ApiKey> api_key_json(const std::vector<std::string>& scopes);
// The same with the token, for the response to its creation.
json::Table<ApiKey> created_key_json(const std::vector<std::string>& scopes);

}  // namespace shopbell::keys
