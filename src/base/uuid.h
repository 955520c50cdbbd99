// Uuid: the service's ids. Version 7, so that ids made later sort later; lower case on the wire.
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
  // Lower case, 8-4-4-4-12, nothing else: a malformed id is simply an id that does not exist.
  static std::optional<Uuid> parse(std::string_view text);

  std::string to_string() const;
  constexpr const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
  constexpr auto operator<=>(const Uuid&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
};

// Account ids: random, positive, so unique across installations without asking anybody.
std::int64_t random_account_id();

}  // namespace shopbell
