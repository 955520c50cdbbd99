// JSON of an API key.
#pragma once

#include "json/fields.h"
#include "resources/keys/api_key.h"

namespace shopbell::keys {

// `scopes` are all scopes that a key can have.
json::Table<ApiKey> api_key_json(const std::vector<std::string>& scopes);
// Like api_key_json(), with the token: for the response that creates the key.
json::Table<ApiKey> created_key_json(const std::vector<std::string>& scopes);

}  // namespace shopbell::keys
