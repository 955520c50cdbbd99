// Management of API keys: by their own account with the API's database role, by an operator with
// the worker's.
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

// Reads the number of keys that are not revoked, and whether the account is a test account.
void read_account(pg::Group& reads, std::int64_t account);
struct KeyAccount {
  std::int64_t keys;
  bool is_test;
};
KeyAccount found_account(const pg::Result& result);

void insert_key(pg::Group& effect, std::int64_t account, const ApiKey& key, const Sha256& hash,
                std::int64_t ring_key);
// Guarded writes: each raises a conflict (SB001) if the key changed after it was read.
void update_key(pg::Group& effect, std::int64_t account, const ApiKey& key);
void revoke_key(pg::Group& effect, std::int64_t account, const ApiKey& key);

// Lists the keys that are not revoked, by id, which is the order of creation.
boost::asio::awaitable<std::vector<ApiKey>> list_keys(pg::Pool& database, pg::Scope scope,
                                                      std::optional<std::string> after,
                                                      bool ascending, std::int64_t limit);

// A key as an operator sees it. Operators get all keys of an account, even revoked ones.
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
// Returns false when there is no such key or it is already revoked.
boost::asio::awaitable<bool> revoke(pg::Pool& database, pg::Scope scope, Uuid id);

}  // namespace shopbell::keys
