// Keyring: the installation's own secret keys, in one file that only the service may read (0600).
// Each key has a number and a birthday. A new one takes over an hour after it was made, so that
// every process has been restarted and knows it before the first makes use of it; what the earlier
// ones made stays readable.
#pragma once

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

// What a key is used for. Each purpose has keys of its own, derived from the ring's, so that a hash
// made for one purpose means nothing to another.
enum class Purpose { api_keys, cursors, idempotency_keys, answers, addresses, secrets, links };

inline constexpr auto kTakeOver = std::chrono::hours{1};

class Keyring {
 public:
  // A new ring with one key. Refuses to replace a file that is there.
  static Keyring create(const std::filesystem::path& file, Instant now);
  // Refuses a file that others may read, or that is not a keyring: the message says which.
  static Keyring load(const std::filesystem::path& file);

  // Adds a key to the file, which is replaced as a whole or not at all. The ring this process holds
  // stays as it is.
  static void rotate(const std::filesystem::path& file, Instant now);

  // Under every key, newest first: what a stored hash may equal.
  std::vector<Sha256> hashes(Purpose purpose, std::string_view data) const;
  // Which of them a hash that is to be stored must be.
  std::size_t in_force() const;
  Sha256 hash(Purpose purpose, std::string_view data) const;
  // Under the ring's first key, whatever came after it: for what must be found again for ever.
  Sha256 lasting_hash(Purpose purpose, std::string_view data) const;

  // What only this installation can read again, and only for the same `context`: secrets that
  // others entrust to it. Whatever key sealed it opens it.
  std::vector<std::uint8_t> seal(std::string_view plain, std::string_view context) const;
  std::optional<std::string> unseal(std::span<const std::uint8_t> sealed,
                                    std::string_view context) const;

  struct Description {
    int id;
    Instant created;
    Instant takes_over;
  };
  std::vector<Description> describe() const;

 private:
  struct Key {
    int id = 0;
    Instant created;
    Instant takes_over;
    std::vector<std::uint8_t> secret;
  };
  explicit Keyring(std::vector<Key> keys);
  static std::string to_text(const std::vector<Key>& keys);

  std::vector<Key> keys_;                     // newest first
  std::vector<std::vector<Sha256>> derived_;  // [purpose][key]
};

}  // namespace shopbell::keyring
