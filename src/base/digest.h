// Hashes: SHA-256, HMAC-SHA256 and hexadecimal text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shopbell {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view data);
Sha256 hmac_sha256(std::span<const std::uint8_t> key, std::string_view data);

// Hashes data that arrives in blocks.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void add(std::string_view data);
  Sha256 finish();  // call it once, after the last block

 private:
  void* context_;  // an EVP_MD_CTX of OpenSSL
};

// Compares in constant time, so that timing does not reveal the position of a difference.
bool same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

std::string to_hex(std::span<const std::uint8_t> bytes);
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text);

}  // namespace shopbell
