// Origin: the sender of a message, and its number among that sender's messages to the partition.
// Kafka keeps the order of one sender's messages, so a number that is not above the last one marks
// a duplicate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.h"

namespace shopbell::kafka {

struct Origin {
  static constexpr const char* kHeader = "origin";  // name of the message header

  Uuid sender;
  std::int64_t number = 0;  // counts from 1, without gaps

  std::string to_text() const;
  static std::optional<Origin> parse(std::string_view text);

  bool operator==(const Origin&) const = default;
};

}  // namespace shopbell::kafka
