// Keys in the database.
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

// Makes a key and returns its token, which is shown now and never again; nothing when there is no
// such account. For the worker's connection: an operator may do this for any account.
boost::asio::awaitable<std::optional<Token>> create_key(pg::Pool& database, pg::Scope scope,
                                                        const keyring::Keyring& keyring, NewKey key,
                                                        Instant now);

struct FoundKey {
  std::int64_t account;
  Uuid key_id;
  std::vector<std::string> scopes;
  bool suspended;
  bool expired;
  bool revoked;
  std::vector<std::string> allowed_addresses;  // empty: from anywhere
  rates::Rate account_rate;
  std::optional<rates::Rate> key_rate;  // none: only the account's holds
};

// Whose key it is.
boost::asio::awaitable<std::optional<FoundKey>> find_key(pg::Pool& database, pg::Scope scope,
                                                         std::vector<Sha256> hashes);

}  // namespace shopbell::keys
