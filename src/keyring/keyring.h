// Keyring: the secret keys of the installation, in one file that only the service may read (0600).
// Each key has an id and a creation time. A new key takes over one hour after its creation, so that
// all processes can be restarted and load it before any of them uses it. Older keys stay valid for
// reading until they are retired. Short-lived values are accepted under recent keys only.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/time.h"

namespace shopbell::keyring {

// Use of a key. Each purpose has its own keys, derived from the keys of the ring, so that a hash
// for one purpose is useless for another.
enum class Purpose {
  api_keys,
  cursors,
  idempotency_keys,
  answers,
  addresses,
  secrets,
  links,
  queue
};

inline constexpr auto kTakeOver = std::chrono::hours{1};

class Keyring {
 public:
  // Creates a ring with one key. Throws when the file exists.
  static Keyring create(const std::filesystem::path& file, Instant now);
  // Throws when other users can access the file or it is not a keyring; the message says which.
  static Keyring load(const std::filesystem::path& file);

  // Adds a key to the file and replaces the file atomically. Keyring objects in memory do not
  // change.
  static void rotate(const std::filesystem::path& file, Instant now);
  // Removes an older key from the file in the same way. Of the first key, the part that hashes
  // addresses stays. Throws unless a newer key is in force.
  static void retire(const std::filesystem::path& file, int id);

  // Hashes under all keys, newest first: a stored hash may equal any of them.
  std::vector<Sha256> hashes(Purpose purpose, std::string_view data) const;
  // Like hashes(), for values that live no longer than `life`. Leaves out keys that were replaced
  // longer ago than `life` and a margin: only a forger would still use them.
  std::vector<Sha256> recent_hashes(Purpose purpose, std::string_view data,
                                    std::chrono::seconds life) const;
  // Index in hashes() of the current key, which new hashes must use.
  std::size_t in_force() const;
  int id_in_force() const { return keys_[in_force()].id; }
  Sha256 hash(Purpose purpose, std::string_view data) const;
  // Always uses the first key, so that the value stays searchable after a rotation.
  Sha256 lasting_hash(std::string_view address) const;

  // Encrypt and decrypt secrets of the accounts. unseal() needs the same `context` and tries all
  // keys of the ring.
  std::vector<std::uint8_t> seal(std::string_view plain, std::string_view context) const;
  std::optional<std::string> unseal(std::span<const std::uint8_t> sealed,
                                    std::string_view context) const;

  // open() is like unseal(), and also returns the id of the key that decrypts the secret.
  struct Opened {
    std::string plain;
    int key = 0;
  };
  std::optional<Opened> open(std::span<const std::uint8_t> sealed, std::string_view context) const;

  struct Description {
    int id;
    Instant created;
    Instant takes_over;
    bool addresses_only = false;  // the first key, after it was retired
  };
  std::vector<Description> describe() const;
  std::vector<std::int64_t> ids() const;  // all except a retired first key

 private:
  struct Key {
    int id = 0;
    Instant created;
    Instant takes_over;
    std::vector<std::uint8_t> secret;
    bool addresses_only = false;  // `secret` is the derived key for addresses
  };
  static Key new_key(int id, Instant now, Instant takes_over);
  static std::optional<Key> parse(const std::string& line);
  explicit Keyring(std::vector<Key> keys);
  static std::string to_text(const std::vector<Key>& keys);

  std::vector<Key> keys_;  // newest first
  // Derived keys by purpose and key. A retired first key, the last one, has one for addresses only.
  std::vector<std::vector<Sha256>> derived_;
};

}  // namespace shopbell::keyring
