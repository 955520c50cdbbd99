// Integration: a system that a store connects by itself, such as its point of sale or a survey
// tool. Its event types say what comes in from there and what goes out to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::integrations {

struct Integration {
  Uuid id;
  std::string name;
  std::optional<std::string> description;
  std::optional<std::string> color;  // "#1a2b3c"
  std::optional<std::string> image_url;
  bool events_enabled = true;  // else what comes in for its types is refused
  std::int64_t event_type_count = 0;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;
};

}  // namespace shopbell::integrations
