#include "base/digest.h"

#include <stdexcept>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

namespace shopbell {

namespace {
const unsigned char* bytes_of(std::string_view data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}
constexpr std::string_view kHex = "0123456789abcdef";
}  // namespace

Sha256 sha256(std::string_view data) {
  Sha256 digest;
  SHA256(bytes_of(data), data.size(), digest.data());
  return digest;
}

Sha256 hmac_sha256(std::span<const std::uint8_t> key, std::string_view data) {
  Sha256 digest;
  unsigned int size = digest.size();
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(data), data.size(),
           digest.data(), &size) == nullptr) {
    throw std::runtime_error{"HMAC-SHA256 failed"};
  }
  return digest;
}

Sha256Stream::Sha256Stream() : context_{EVP_MD_CTX_new()} {
  if (context_ == nullptr ||
      EVP_DigestInit_ex(static_cast<EVP_MD_CTX*>(context_), EVP_sha256(), nullptr) != 1)
    throw std::runtime_error{"SHA-256 failed"};
}

Sha256Stream::~Sha256Stream() { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context_)); }

void Sha256Stream::add(std::string_view data) {
  if (EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), data.data(), data.size()) != 1)
    throw std::runtime_error{"SHA-256 failed"};
}

Sha256 Sha256Stream::finish() {
  Sha256 digest;
  if (EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), digest.data(), nullptr) != 1)
    throw std::runtime_error{"SHA-256 failed"};
  return digest;
}

bool same_secret(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 0x0f]);
  }
  return text;
}

std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto high = kHex.find(text[i]);
    const auto low = kHex.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

}  // namespace shopbell
