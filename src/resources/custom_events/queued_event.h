// QueuedEvent: a custom event in Kafka, as it was sent, with the parameters of its request. It is
// validated again when it is written, because definitions may have changed.
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
  Uuid id;  // the event's id
  Instant received_at;
  Uuid type_id;
  std::vector<std::pair<std::string, std::string>> parameters;  // the request's query parameters
  bool lenient = false;
  std::string body;  // request body as JSON

  // Returns the value of the Kafka message.
  std::string to_json() const;
  static std::optional<QueuedEvent> parse(std::string_view json);
};

// Returns the Kafka partition, of `partitions`. Events with the same identifier share it, which
// keeps their order.
std::int32_t partition_of(std::int64_t account, std::string_view identifier, int partitions);

}  // namespace shopbell::custom_events
