#include "base/random.h"

#include <array>
#include <cstring>
#include <random>
#include <stdexcept>

#include <openssl/rand.h>

namespace shopbell {

namespace {

// Each thread buffers random bytes, because OpenSSL takes as long for 16 bytes as for 1,024. Bytes
// are wiped from the buffer when they are handed out, so that no secret stays in it.
struct Reserve {
  std::array<std::uint8_t, 1024> bytes;
  std::size_t used = sizeof bytes;
};

void draw(std::span<std::uint8_t> bytes) {
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw std::runtime_error{"the random number generator of OpenSSL failed"};
  }
}

}  // namespace

void random_bytes(std::span<std::uint8_t> bytes) {
  thread_local Reserve reserve;
  if (bytes.size() > reserve.bytes.size() / 4) return draw(bytes);
  if (reserve.used + bytes.size() > reserve.bytes.size()) {
    draw(reserve.bytes);
    reserve.used = 0;
  }
  std::memcpy(bytes.data(), reserve.bytes.data() + reserve.used, bytes.size());
  std::memset(reserve.bytes.data() + reserve.used, 0, bytes.size());
  reserve.used += bytes.size();
}

std::string random_base62(std::size_t count) {
  static constexpr std::string_view kAlphabet =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string text;
  while (text.size() < count) {
    std::array<std::uint8_t, 1> byte;
    random_bytes(byte);
    if (byte[0] < 248) text.push_back(kAlphabet[byte[0] % 62]);  // 248 = 4 × 62 avoids modulo bias
  }
  return text;
}

double jitter() {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<double>{0, 1}(generator);
}

}  // namespace shopbell
