#include "base/seal.h"

#include <memory>
#include <stdexcept>

#include <openssl/evp.h>

#include "base/random.h"

namespace shopbell {

namespace {

constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Free>;

const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

void check(int outcome) {
  if (outcome != 1) throw std::runtime_error{"OpenSSL cipher operation failed"};
}

}  // namespace

// Layout: nonce, ciphertext, tag.
std::vector<std::uint8_t> seal(const Sha256& key, std::string_view plain,
                               std::string_view context) {
  std::vector<std::uint8_t> sealed(kNonce + plain.size() + kTag);
  random_bytes(std::span{sealed}.first(kNonce));
  const Cipher cipher{EVP_CIPHER_CTX_new()};
  int length = 0;
  check(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), sealed.data()));
  check(EVP_EncryptUpdate(cipher.get(), nullptr, &length, bytes_of(context),
                          static_cast<int>(context.size())));
  check(EVP_EncryptUpdate(cipher.get(), sealed.data() + kNonce, &length, bytes_of(plain),
                          static_cast<int>(plain.size())));
  check(EVP_EncryptFinal_ex(cipher.get(), sealed.data() + kNonce + plain.size(), &length));
  check(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTag,
                            sealed.data() + kNonce + plain.size()));
  return sealed;
}

std::optional<std::string> unseal(const Sha256& key, std::span<const std::uint8_t> sealed,
                                  std::string_view context) {
  if (sealed.size() < kNonce + kTag) return std::nullopt;
  const auto body = sealed.subspan(kNonce, sealed.size() - kNonce - kTag);
  std::vector<std::uint8_t> tag(sealed.end() - kTag, sealed.end());
  std::string plain(body.size(), '\0');
  const Cipher cipher{EVP_CIPHER_CTX_new()};
  int length = 0;
  check(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, key.data(), sealed.data()));
  check(EVP_DecryptUpdate(cipher.get(), nullptr, &length, bytes_of(context),
                          static_cast<int>(context.size())));
  auto* out = reinterpret_cast<std::uint8_t*>(plain.data());
  check(EVP_DecryptUpdate(cipher.get(), out, &length, body.data(), static_cast<int>(body.size())));
  check(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()));
  if (EVP_DecryptFinal_ex(cipher.get(), out + plain.size(), &length) != 1) return std::nullopt;
  return plain;
}

}  // namespace shopbell
