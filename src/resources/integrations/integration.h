// Integration: a system that a store connects itself, such as its point of sale or a survey tool.
// Its event types define the events that it sends and receives.
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
  std::optional<std::string> color;  // display colour, such as "#1a2b3c"
  std::optional<std::string> image_url;
  bool events_enabled = true;  // false: events of its types are refused
  std::int64_t event_type_count = 0;
  Instant created_at;
  Instant updated_at;
  std::int64_t version = 1;
};

}  // namespace shopbell::integrations
