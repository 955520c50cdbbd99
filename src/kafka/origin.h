// Origin: who sent a message, and its number among all that they sent to the partition. Kafka keeps
// the order of what one sender sends there, so a message whose number is not above the last one's
// has been there before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.h"

namespace shopbell::kafka {

struct Origin {
  static constexpr const char* kHeader = "origin";  // of the message

  Uuid sender;
  std::int64_t number = 0;  // from 1 on, without gaps

  std::string to_text() const;
  static std::optional<Origin> parse(std::string_view text);

  bool operator==(const Origin&) const = default;
};

}  // namespace shopbell::kafka
