// Store: the shop of an account.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::store {

struct Usage {
  std::int64_t contacts = 0;
  std::int64_t products = 0;
  std::int64_t purchases = 0;
  std::int64_t events_this_month = 0;
  Instant as_of;
};

// The maximum number of marketing messages per contact; nullopt: no limit.
struct MarketingLimits {
  std::optional<std::int64_t> per_day;
  std::optional<std::int64_t> per_week;
};

struct SendLimits {
  MarketingLimits marketing;
};

// Limits on the size of a request, the same for all stores, and on the rate of requests.
struct RequestLimits {
  std::int64_t body_bytes = 0;
  std::int64_t header_bytes = 0;
  std::int64_t path_bytes = 0;
  std::int64_t requests_per_second = 0;
  std::int64_t request_burst = 0;
};

struct Store {
  Uuid id;
  std::string name;
  std::optional<std::string> url;
  std::string time_zone;               // IANA name, such as "Europe/Berlin"
  std::string currency;                // ISO 4217 code
  std::string locale;                  // BCP 47 tag
  std::optional<std::string> country;  // ISO 3166-1 code
  std::vector<std::string> domains;
  std::string marketing_requires;  // "subscribed" or "notUnsubscribed"
  SendLimits send_limits;
  RequestLimits limits;
  Usage usage;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;
};

}  // namespace shopbell::store
