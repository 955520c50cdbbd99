#include "base/uuid.h"

#include "base/random.h"

namespace shopbell {

namespace {

constexpr std::string_view kHex = "0123456789abcdef";

// The value of a lower-case hex digit; -1 for any other character.
constexpr int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

// The time in milliseconds followed by a 12-bit counter. The counter starts at a random value in
// each millisecond and is incremented per id, so that ids of one thread sort in creation order.
std::uint64_t next_sequence(std::uint64_t ms, std::uint16_t random) {
  thread_local std::uint64_t last_ms = 0;
  thread_local std::uint64_t last = 0;
  last = ms == last_ms ? last + 1 : ms << 12 | (random & 0x03ff);
  last_ms = ms;
  return last;
}

}  // namespace

Uuid Uuid::v7(Instant now) {
  Uuid id;
  random_bytes(id.bytes_);
  const auto ms = static_cast<std::uint64_t>(
      std::chrono::floor<std::chrono::milliseconds>(now).time_since_epoch().count());
  const std::uint64_t sequence =
      next_sequence(ms, static_cast<std::uint16_t>(id.bytes_[6] << 8 | id.bytes_[7]));
  for (int i = 0; i < 6; ++i) id.bytes_[i] = static_cast<std::uint8_t>(sequence >> (52 - 8 * i));
  id.bytes_[6] = static_cast<std::uint8_t>(0x70 | (sequence >> 8 & 0x0f));
  id.bytes_[7] = static_cast<std::uint8_t>(sequence);
  id.bytes_[8] = static_cast<std::uint8_t>(0x80 | (id.bytes_[8] & 0x3f));
  return id;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid id;
  std::size_t nibble = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    const int value = value_of(text[i]);
    if (value < 0) return std::nullopt;
    id.bytes_[nibble / 2] = static_cast<std::uint8_t>(id.bytes_[nibble / 2] << 4 | value);
    ++nibble;
  }
  return id;
}

std::string Uuid::to_string() const {
  std::string text(36, '-');
  auto place = text.begin();
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) ++place;
    *place++ = kHex[bytes_[i] >> 4];
    *place++ = kHex[bytes_[i] & 0x0f];
  }
  return text;
}

std::int64_t random_account_id() {
  std::array<std::uint8_t, 8> bytes;
  random_bytes(bytes);
  std::uint64_t value = 0;
  for (const auto byte : bytes) value = value << 8 | byte;
  value &= 0x7fff'ffff'ffff'ffff;
  return value == 0 ? 1 : static_cast<std::int64_t>(value);
}

}  // namespace shopbell
