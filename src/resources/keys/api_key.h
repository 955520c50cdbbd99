// ApiKey: the stored data of an API key, such as its name and scopes, without the token itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::keys {

struct ApiKey {
  Uuid id;
  std::string name;
  std::vector<std::string> scopes;
  std::optional<Instant> expires_at;
  std::vector<std::string> allowed_addresses;  // empty: every IP address may use the key
  std::optional<std::int64_t> requests_per_second;
  std::optional<std::int64_t> request_burst;
  std::string hint;
  std::optional<Instant> last_used_at;
  std::int64_t deprecated_requests = 0;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;
  std::string token;  // set only in the response that creates the key
};

}  // namespace shopbell::keys
