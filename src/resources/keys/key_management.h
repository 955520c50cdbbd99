// Keys as they are managed: by their own account through the API's connection, by an operator
// through the worker's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/digest.h"
#include "pg/group.h"
#include "pg/pool.h"
#include "resources/keys/api_key.h"

namespace shopbell::keys {

void read_key(pg::Group& reads, std::int64_t account, const Uuid& id);
std::optional<ApiKey> found_key(const pg::Result& result);

// How many keys work or will, and whether the account is a test account.
void read_account(pg::Group& reads, std::int64_t account);
struct KeyAccount {
  std::int64_t keys;
  bool is_test;
};
KeyAccount found_account(const pg::Result& result);

void insert_key(pg::Group& effect, std::int64_t account, const ApiKey& key, const Sha256& hash);
// Guarded: refused as overtaken when the key is no longer the version that was read.
void update_key(pg::Group& effect, std::int64_t account, const ApiKey& key);
void revoke_key(pg::Group& effect, std::int64_t account, const ApiKey& key);

// By id, which is by age. Revoked keys are not in it.
boost::asio::awaitable<std::vector<ApiKey>> list_keys(pg::Pool& database, pg::Scope scope,
                                                      std::optional<std::string> after,
                                                      bool ascending, std::int64_t limit);

// For an operator: every key of an account, oldest first.
struct KeyLine {
  Uuid id;
  std::string name;
  std::string hint;
  std::vector<std::string> scopes;
  Instant created_at;
  std::optional<Instant> expires_at;
  std::optional<Instant> last_used_at;
  bool revoked;
};
boost::asio::awaitable<std::vector<KeyLine>> list_all_keys(pg::Pool& database, pg::Scope scope,
                                                           std::int64_t account);
// False when there is no such key that works.
boost::asio::awaitable<bool> revoke(pg::Pool& database, pg::Scope scope, Uuid id);

}  // namespace shopbell::keys
