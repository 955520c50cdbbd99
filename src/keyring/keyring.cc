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

#include "base/limits.h"
#include "base/random.h"
#include "base/seal.h"
#include "keyring/secret_file.h"

namespace shopbell::keyring {

namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::array<std::string_view, 8> kPurposes{
    "api-keys", "cursors", "idempotency-keys", "answers", "addresses", "secrets", "links", "queue"};
// Marks a retired key that has only its part for addresses left. Earlier releases refuse the file.
constexpr std::string_view kAddressesOnly = "addresses:";

Sha256 derive(std::span<const std::uint8_t> secret, Purpose purpose) {
  return hmac_sha256(
      secret, std::format("shopbell keyring {}", kPurposes[static_cast<std::size_t>(purpose)]));
}

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view why) {
  throw std::runtime_error{std::format("keyring {}: {}", file.string(), why)};
}

}  // namespace

Keyring::Keyring(std::vector<Key> keys) : keys_{std::move(keys)} {
  for (std::size_t i = 0; i < kPurposes.size(); ++i) {
    const Purpose purpose{static_cast<int>(i)};
    auto& of_purpose = derived_.emplace_back();
    for (const auto& key : keys_) {
      if (!key.addresses_only) of_purpose.push_back(derive(key.secret, purpose));
      if (key.addresses_only && purpose == Purpose::addresses)
        std::ranges::copy(key.secret, of_purpose.emplace_back().begin());
    }
  }
}

std::string Keyring::to_text(const std::vector<Key>& keys) {
  std::string text =
      "# Secret keys of this installation: back this file up and keep it secret. Without it every "
      "API key is invalid.\n# id created takes-over secret\n";
  for (const auto& key : keys | std::views::reverse) {
    text +=
        std::format("{} {} {} {}{}\n", key.id, to_rfc3339(key.created), to_rfc3339(key.takes_over),
                    key.addresses_only ? kAddressesOnly : "", to_hex(key.secret));
  }
  return text;
}

Keyring::Key Keyring::new_key(int id, Instant now, Instant takes_over) {
  Key key{.id = id,
          .created = now,
          .takes_over = takes_over,
          .secret = std::vector<std::uint8_t>(kSecretBytes)};
  random_bytes(key.secret);
  return key;
}

Keyring Keyring::create(const std::filesystem::path& file, Instant now) {
  Keyring ring{{new_key(1, now, now)}};
  write_secret_file(file, to_text(ring.keys_));
  return ring;
}

void Keyring::rotate(const std::filesystem::path& file, Instant now) {
  replace_secret_file(file, [&] {
    Keyring ring = load(file);
    ring.keys_.insert(ring.keys_.begin(), new_key(ring.keys_.front().id + 1, now, now + kTakeOver));
    return to_text(ring.keys_);
  });
}

void Keyring::retire(const std::filesystem::path& file, int id) {
  replace_secret_file(file, [&] {
    Keyring ring = load(file);
    const auto key = std::ranges::find(ring.keys_, id, &Key::id);
    if (key == ring.keys_.end() || key->addresses_only)
      refuse(file, std::format("there is no key {}", id));
    if (key - ring.keys_.begin() <= static_cast<std::ptrdiff_t>(ring.in_force()))
      refuse(file, std::format("key {} is in use: only older keys can be retired", id));
    if (key + 1 == ring.keys_.end()) {
      const Sha256 addresses = derive(key->secret, Purpose::addresses);
      key->secret.assign(addresses.begin(), addresses.end());
      key->addresses_only = true;
    } else {
      ring.keys_.erase(key);
    }
    return to_text(ring.keys_);
  });
}

std::optional<Keyring::Key> Keyring::parse(const std::string& line) {
  std::istringstream words{line};
  Key key;
  std::string created;
  std::string takes_over;
  std::string secret;
  words >> key.id >> created >> takes_over >> secret;
  key.addresses_only = secret.starts_with(kAddressesOnly);
  if (key.addresses_only) secret.erase(0, kAddressesOnly.size());
  const auto bytes = from_hex(secret);
  const auto created_at = parse_rfc3339(created);
  const auto takes_over_at = parse_rfc3339(takes_over);
  if (!words || !bytes || bytes->size() != kSecretBytes || !created_at || !takes_over_at)
    return std::nullopt;
  key.created = *created_at;
  key.takes_over = *takes_over_at;
  key.secret = *bytes;
  return key;
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
    auto key = parse(line);
    // Only the first key can have been reduced to its part for addresses.
    if (!key || (key->addresses_only && !keys.empty()))
      refuse(file, "contains a line that is not a key");
    keys.insert(keys.begin(), std::move(*key));
  }
  if (keys.empty() || keys.front().addresses_only) refuse(file, "contains no key");
  return Keyring{std::move(keys)};
}

std::vector<Sha256> Keyring::hashes(Purpose purpose, std::string_view data) const {
  std::vector<Sha256> all;
  for (const auto& key : derived_[static_cast<std::size_t>(purpose)])
    all.push_back(hmac_sha256(key, data));
  return all;
}

std::vector<Sha256> Keyring::recent_hashes(Purpose purpose, std::string_view data,
                                           std::chrono::seconds life) const {
  const auto& derived = derived_[static_cast<std::size_t>(purpose)];
  std::size_t count = in_force() + 1;
  // Each key is replaced by the one before it in the list.
  const Instant since = system_clock().now() - life - limits::kRingMargin;
  while (count < derived.size() && keys_[count - 1].takes_over > since) ++count;
  std::vector<Sha256> all;
  for (const auto& key : derived | std::views::take(count)) all.push_back(hmac_sha256(key, data));
  return all;
}

std::size_t Keyring::in_force() const {
  if (keys_.size() == 1) return 0;
  const Instant now = system_clock().now();
  const auto found = std::ranges::find_if(
      keys_, [&](const Key& key) { return key.takes_over <= now && !key.addresses_only; });
  if (found != keys_.end()) return static_cast<std::size_t>(found - keys_.begin());
  return keys_.size() - (keys_.back().addresses_only ? 2 : 1);
}

Sha256 Keyring::hash(Purpose purpose, std::string_view data) const {
  return hmac_sha256(derived_[static_cast<std::size_t>(purpose)][in_force()], data);
}

Sha256 Keyring::lasting_hash(std::string_view address) const {
  return hmac_sha256(derived_[static_cast<std::size_t>(Purpose::addresses)].back(), address);
}

std::vector<std::uint8_t> Keyring::seal(std::string_view plain, std::string_view context) const {
  return shopbell::seal(derived_[static_cast<std::size_t>(Purpose::secrets)][in_force()], plain,
                        context);
}

std::optional<std::string> Keyring::unseal(std::span<const std::uint8_t> sealed,
                                           std::string_view context) const {
  return open(sealed, context).transform([](Opened&& opened) { return std::move(opened.plain); });
}

std::optional<Keyring::Opened> Keyring::open(std::span<const std::uint8_t> sealed,
                                             std::string_view context) const {
  const auto& derived = derived_[static_cast<std::size_t>(Purpose::secrets)];
  for (std::size_t i = 0; i < derived.size(); ++i) {
    if (auto plain = shopbell::unseal(derived[i], sealed, context))
      return Opened{.plain = std::move(*plain), .key = keys_[i].id};
  }
  return std::nullopt;
}

std::vector<Keyring::Description> Keyring::describe() const {
  std::vector<Description> all;
  all.reserve(keys_.size());
  for (const auto& key : keys_)
    all.push_back({key.id, key.created, key.takes_over, key.addresses_only});
  return all;
}

std::vector<std::int64_t> Keyring::ids() const {
  std::vector<std::int64_t> all;
  for (const auto& key : keys_)
    if (!key.addresses_only) all.push_back(key.id);
  return all;
}

}  // namespace shopbell::keyring
