// QueuedEvent: a custom event on its way through Kafka, as it was sent, with what its request
// wished. It is judged again where it is written: much may have changed meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"

namespace shopbell::custom_events {

struct QueuedEvent {
  std::int64_t account = 0;
  Uuid id;  // the event's own
  Instant received_at;
  Uuid type_id;
  std::vector<std::pair<std::string, std::string>> parameters;  // of the request
  bool lenient = false;
  std::string body;  // JSON

  // Of the message that carries it.
  std::string to_json() const;
  static std::optional<QueuedEvent> parse(std::string_view json);
};

// Events that name somebody by one identifier go through one partition, so they keep their order.
std::int32_t partition_of(std::int64_t account, std::string_view identifier);

}  // namespace shopbell::custom_events
