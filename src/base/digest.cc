#include "base/digest.h"

#include <memory>
#include <stdexcept>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

namespace shopbell {

namespace {
const unsigned char* bytes_of(std::string_view data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}
constexpr std::string_view kHex = "0123456789abcdef";

using MacContext = std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)>;

MacContext make_hmac_context() {
  const std::unique_ptr<EVP_MAC, decltype(&EVP_MAC_free)> mac{
      EVP_MAC_fetch(nullptr, "HMAC", nullptr), &EVP_MAC_free};
  MacContext context{mac ? EVP_MAC_CTX_new(mac.get()) : nullptr, &EVP_MAC_CTX_free};
  std::string digest = "SHA256";
  const std::array settings{
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_end()};
  if (context && EVP_MAC_CTX_set_params(context.get(), settings.data()) != 1) context.reset();
  return context;
}
}  // namespace

Sha256 sha256(std::string_view data) {
  Sha256 digest;
  // Fetched once: SHA256() would look the algorithm up in every call.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  if (EVP_Digest(data.data(), data.size(), digest.data(), nullptr, algorithm, nullptr) != 1)
    throw std::runtime_error{"SHA-256 failed"};
  return digest;
}

// Each thread reuses its context: HMAC() looks the algorithm up in every call, which costs more
// than hashing an address.
Sha256 hmac_sha256(std::span<const std::uint8_t> key, std::string_view data) {
  thread_local const MacContext context = make_hmac_context();
  Sha256 digest;
  std::size_t size = 0;
  // With an empty key OpenSSL would reuse the previous key. A zero byte gives the same result as an
  // empty key, because HMAC pads keys with zeros.
  static constexpr std::uint8_t kZero = 0;
  const auto used = key.empty() ? std::span{&kZero, 1} : key;
  if (!context || EVP_MAC_init(context.get(), used.data(), used.size(), nullptr) != 1 ||
      EVP_MAC_update(context.get(), bytes_of(data), data.size()) != 1 ||
      EVP_MAC_final(context.get(), digest.data(), &size, digest.size()) != 1) {
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
