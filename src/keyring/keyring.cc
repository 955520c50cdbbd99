#include "keyring/keyring.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <format>
#include <fstream>
#include <ranges>
#include <sstream>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"
#include "base/seal.h"
#include "keyring/secret_file.h"

namespace shopbell::keyring {

namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::array<std::string_view, 7> kPurposes{
    "api-keys", "cursors", "idempotency-keys", "answers", "addresses", "secrets", "links"};

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

std::string Keyring::to_text(const std::vector<Key>& keys) {
  std::string text =
      "# Secret keys of this installation: back this file up and keep it secret. Without it every "
      "API key is invalid.\n# id created takes-over secret\n";
  for (const auto& key : keys | std::views::reverse) {
    text += std::format("{} {} {} {}\n", key.id, to_rfc3339(key.created),
                        to_rfc3339(key.takes_over), to_hex(key.secret));
  }
  return text;
}

Keyring Keyring::create(const std::filesystem::path& file, Instant now) {
  Key key{.id = 1,
          .created = now,
          .takes_over = now,
          .secret = std::vector<std::uint8_t>(kSecretBytes)};
  random_bytes(key.secret);
  Keyring ring{{std::move(key)}};
  write_secret_file(file, to_text(ring.keys_));
  return ring;
}

void Keyring::rotate(const std::filesystem::path& file, Instant now) {
  Keyring ring = load(file);
  Key key{.id = ring.keys_.front().id + 1,
          .created = now,
          .takes_over = now + kTakeOver,
          .secret = std::vector<std::uint8_t>(kSecretBytes)};
  random_bytes(key.secret);
  ring.keys_.insert(ring.keys_.begin(), std::move(key));
  std::filesystem::path made = file;
  made += ".new";
  write_secret_file(made, to_text(ring.keys_));
  // Root may run this: keep the owner, so that the service can still read the file.
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0 ||
      ::chown(made.c_str(), status.st_uid, status.st_gid) != 0) {
    const std::string why = std::strerror(errno);
    std::filesystem::remove(made);
    refuse(file, why);
  }
  std::filesystem::rename(made, file);
}

Keyring Keyring::load(const std::filesystem::path& file) {
  struct stat status{};
  if (::stat(file.c_str(), &status) != 0) refuse(file, std::strerror(errno));
  if ((status.st_mode & 077) != 0) {
    refuse(file, std::format("other users can access it (mode {:04o}); run: chmod 600 {}",
                             status.st_mode & 07777, file.string()));
  }
  std::ifstream stream{file};
  std::vector<Key> keys;
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words{line};
    Key key;
    std::string created;
    std::string takes_over;
    std::string secret;
    words >> key.id >> created >> takes_over >> secret;
    const auto bytes = from_hex(secret);
    const auto created_at = parse_rfc3339(created);
    const auto takes_over_at = parse_rfc3339(takes_over);
    if (!words || !bytes || bytes->size() != kSecretBytes || !created_at || !takes_over_at)
      refuse(file, "contains a line that is not a key");
    key.created = *created_at;
    key.takes_over = *takes_over_at;
    key.secret = *bytes;
    keys.insert(keys.begin(), std::move(key));
  }
  if (keys.empty()) refuse(file, "contains no key");
  return Keyring{std::move(keys)};
}

std::vector<Sha256> Keyring::hashes(Purpose purpose, std::string_view data) const {
  std::vector<Sha256> all;
  for (const auto& key : derived_[static_cast<std::size_t>(purpose)])
    all.push_back(hmac_sha256(key, data));
  return all;
}

std::size_t Keyring::in_force() const {
  if (keys_.size() == 1) return 0;
  const Instant now = system_clock().now();
  const auto found =
      std::ranges::find_if(keys_, [&](const Key& key) { return key.takes_over <= now; });
  return found == keys_.end() ? keys_.size() - 1 : static_cast<std::size_t>(found - keys_.begin());
}

Sha256 Keyring::hash(Purpose purpose, std::string_view data) const {
  return hmac_sha256(derived_[static_cast<std::size_t>(purpose)][in_force()], data);
}

Sha256 Keyring::lasting_hash(Purpose purpose, std::string_view data) const {
  return hmac_sha256(derived_[static_cast<std::size_t>(purpose)].back(), data);
}

std::vector<std::uint8_t> Keyring::seal(std::string_view plain, std::string_view context) const {
  return shopbell::seal(derived_[static_cast<std::size_t>(Purpose::secrets)][in_force()], plain,
                        context);
}

std::optional<std::string> Keyring::unseal(std::span<const std::uint8_t> sealed,
                                           std::string_view context) const {
  for (const auto& key : derived_[static_cast<std::size_t>(Purpose::secrets)]) {
    if (auto plain = shopbell::unseal(key, sealed, context)) return plain;
  }
  return std::nullopt;
}

std::vector<Keyring::Description> Keyring::describe() const {
  std::vector<Description> all;
  all.reserve(keys_.size());
  for (const auto& key : keys_) all.push_back({key.id, key.created, key.takes_over});
  return all;
}

}  // namespace shopbell::keyring
