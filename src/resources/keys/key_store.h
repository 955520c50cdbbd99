// Database access for API keys: creation by an operator, and lookup for authentication.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "keyring/keyring.h"
#include "pg/pool.h"
#include "rates/token_bucket.h"
#include "resources/keys/key.h"

namespace shopbell::keys {

struct NewKey {
  std::int64_t account = 0;
  std::string name;
  std::vector<std::string> scopes;
  std::optional<Instant> expires_at;
};

// Creates a key and returns its token, which is not stored; nullopt when there is no such account.
// Needs the worker's database role: an operator may do this for any account.
boost::asio::awaitable<std::optional<Token>> create_key(pg::Pool& database, pg::Scope scope,
                                                        const keyring::Keyring& keyring, NewKey key,
                                                        Instant now);

// Returns nullopt if neither value is set. A rate without a burst gets the default proportion.
std::optional<rates::Rate> rate_of(std::optional<std::int64_t> per_second,
                                   std::optional<std::int64_t> burst);

struct FoundKey {
  std::int64_t account;
  Uuid key_id;
  std::vector<std::string> scopes;
  bool suspended;
  bool expired;
  bool revoked;
  std::vector<std::string> allowed_addresses;  // empty: every IP address may use the key
  rates::Rate account_rate;
  std::vector<std::uint8_t> hash;
  std::optional<std::int64_t> ring_key;  // id of the keyring's key that made the hash, if known
  std::optional<rates::Rate> key_rate;   // nullopt: only the account's rate applies
};

// Finds a key by the hashes of its token, one per key of the keyring.
boost::asio::awaitable<std::optional<FoundKey>> find_key(pg::Pool& database, pg::Scope scope,
                                                         std::vector<Sha256> hashes);

// Replaces the stored hash by `hash`, made with the key `ring_key` of the keyring. The database
// leaves it as it is while a running process lacks that key.
boost::asio::awaitable<void> rehash_key(pg::Pool& database, pg::Scope scope, FoundKey key,
                                        Sha256 hash, std::int64_t ring_key);

// Valid keys whose hash may depend on the key `ring_key` of the keyring, of all accounts. Needs the
// worker's database role.
struct DependentKey {
  std::int64_t account = 0;
  Uuid id;
  std::string name;
  std::optional<Instant> last_used_at;
};
struct DependentKeys {
  std::int64_t count = 0;
  std::vector<DependentKey> first;  // the first kDependentsShown keys
};
boost::asio::awaitable<DependentKeys> list_dependent_keys(pg::Pool& database, pg::Scope scope,
                                                          std::int64_t ring_key);

}  // namespace shopbell::keys
