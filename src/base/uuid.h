// Uuid: the service's ids. Version 7, so that ids sort by creation time; lower case on the wire.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace shopbell {

class Uuid {
 public:
  constexpr Uuid() = default;

  static Uuid v7(Instant now);
  // Accepts only lower case, 8-4-4-4-12. Callers treat a malformed id as an id that does not exist.
  static std::optional<Uuid> parse(std::string_view text);

  std::string to_string() const;
  constexpr const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  constexpr auto operator<=>(const Uuid&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

// Account ids are random and positive, so they are unique across installations without
// coordination.
std::int64_t random_account_id();

}  // namespace shopbell
