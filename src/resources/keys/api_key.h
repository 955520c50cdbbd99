// ApiKey: a key as its account sees it: what it is for and what it may do, never the key itself.
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
  std::vector<std::string> allowed_addresses;  // empty: from anywhere
  std::optional<std::int64_t> requests_per_second;
  std::optional<std::int64_t> request_burst;
  std::string hint;
  std::optional<Instant> last_used_at;
  std::int64_t deprecated_requests = 0;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;
  std::string token;  // at its creation, and never again
};

}  // namespace shopbell::keys
