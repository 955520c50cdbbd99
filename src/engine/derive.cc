#include "engine/derive.h"

#include <array>
#include <bit>
#include <numeric>
#include <string>

#include "base/decimal.h"
#include "base/digest.h"

namespace shopbell::engine {

namespace {

Sha256 hash_of(std::span<const std::string_view> parts) {
  std::string text;
  for (const auto part : parts) {
    text += std::to_string(part.size());  // so that no two lists of parts give the same text
    text += ':';
    text += part;
  }
  return sha256(text);
}

}  // namespace

Uuid derived_id(Instant at, std::span<const std::string_view> parts) {
  const Sha256 hash = hash_of(parts);
  std::array<std::uint8_t, 16> bytes{};
  const auto milliseconds = static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count());
  for (std::size_t i = 0; i < 6; ++i)
    bytes[i] = static_cast<std::uint8_t>(milliseconds >> (40 - 8 * i));
  for (std::size_t i = 6; i < bytes.size(); ++i) bytes[i] = hash[i];
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0FU) | 0x80U);  // version 8
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3FU) | 0x80U);  // variant of RFC 9562
  return std::bit_cast<Uuid>(bytes);
}

std::size_t split_part(std::int64_t account, const Uuid& workflow, std::string_view node,
                       const Uuid& contact, std::span<const std::int64_t> weights) {
  const Sha256 hash = hash_of(std::array<std::string_view, 4>{
      std::to_string(account), workflow.to_string(), node, contact.to_string()});
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number = number << 8U | hash[i];
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  // The high half of the product is the number scaled to [0, sum).
  auto place = static_cast<std::int64_t>(
      static_cast<Unsigned128>(number) * static_cast<std::uint64_t>(sum) >> 64U);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (place < weights[i]) return i;
    place -= weights[i];
  }
  return weights.size() - 1;
}

}  // namespace shopbell::engine
