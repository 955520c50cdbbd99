#include "resources/keys/key.h"

#include <algorithm>

#include <boost/crc.hpp>

#include "base/random.h"

namespace shopbell::keys {

namespace {

constexpr std::string_view kLive = "sb_live_";
constexpr std::string_view kTest = "sb_test_";
constexpr std::size_t kRandom = 30;
constexpr std::size_t kChecksum = 6;  // six base-62 digits hold a 32-bit checksum
constexpr std::string_view kAlphabet =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

std::string checksum(std::string_view text) {
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  std::uint32_t rest = crc.checksum();
  std::string digits;
  for (std::size_t i = 0; i < kChecksum; ++i) {
    digits.push_back(kAlphabet[rest % 62]);
    rest /= 62;
  }
  std::ranges::reverse(digits);
  return digits;
}

}  // namespace

Token Token::create(Mode mode) {
  std::string text{mode == Mode::live ? kLive : kTest};
  text += random_base62(kRandom);
  text += checksum(text);
  return {mode, std::move(text)};
}

std::optional<Token> Token::parse(std::string_view text) {
  const bool live = text.starts_with(kLive);
  if (!live && !text.starts_with(kTest)) return std::nullopt;
  if (text.size() != kLive.size() + kRandom + kChecksum) return std::nullopt;
  if (checksum(text.substr(0, text.size() - kChecksum)) != text.substr(text.size() - kChecksum))
    return std::nullopt;
  return Token{live ? Mode::live : Mode::test, std::string{text}};
}

}  // namespace shopbell::keys
