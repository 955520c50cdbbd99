#include "keyring/keyring.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <format>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <sys/stat.h>

#include "base/random.h"
#include "keyring/secret_file.h"

namespace shopbell::keyring {

namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::array<std::string_view, 1> kPurposes{"api-keys"};

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view why) {
  throw std::runtime_error{std::format("keyring {}: {}", file.string(), why)};
}

}  // namespace

Keyring::Keyring(std::vector<Key> keys) : keys_{std::move(keys)} {
  for (const auto purpose : kPurposes) {
    auto& of_purpose = derived_.emplace_back();
    for (const auto& key : keys_) {
      of_purpose.push_back(hmac_sha256(key.secret, std::format("shopbell keyring {}", purpose)));
    }
  }
}

Keyring Keyring::create(const std::filesystem::path& file, Instant now) {
  Key key{.id = 1, .created = to_rfc3339(now), .secret = std::vector<std::uint8_t>(kSecretBytes)};
  random_bytes(key.secret);
  const std::string text = std::format(
      "# The keys of this installation: keep a copy, show it to nobody. Without this file every "
      "API key is "
      "void.\n# id created secret\n{} {} {}\n",
      key.id, key.created, to_hex(key.secret));

  write_secret_file(file, text);
  return Keyring{{std::move(key)}};
}

Keyring Keyring::load(const std::filesystem::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) refuse(file, std::strerror(errno));
  if ((status.st_mode & 077) != 0) {
    refuse(file, std::format("others may read it (mode {:04o}); run: chmod 600 {}",
                             status.st_mode & 07777, file.string()));
  }
  std::ifstream stream{file};
  std::vector<Key> keys;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words{line};
    Key key;
    std::string secret;
    words >> key.id >> key.created >> secret;
    const auto bytes = from_hex(secret);
    if (!words || !bytes || bytes->size() != kSecretBytes)
      refuse(file, "holds a line that is not a key");
    key.secret = *bytes;
    keys.insert(keys.begin(), std::move(key));
  }
  if (keys.empty()) refuse(file, "holds no key");
  return Keyring{std::move(keys)};
}

Sha256 Keyring::hash(Purpose purpose, std::string_view data) const {
  return hmac_sha256(derived_[static_cast<std::size_t>(purpose)].front(), data);
}

std::vector<Sha256> Keyring::hashes(Purpose purpose, std::string_view data) const {
  std::vector<Sha256> all;
  for (const auto& key : derived_[static_cast<std::size_t>(purpose)])
    all.push_back(hmac_sha256(key, data));
  return all;
}

}  // namespace shopbell::keyring
