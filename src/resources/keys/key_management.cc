#include "resources/keys/key_management.h"

#include "base/limits.h"
#include "operations/audit.h"
#include "resources/keys/queries.h"

namespace shopbell::keys {

namespace {

ApiKey key_of(const pg::Row& row) {
  return {.id = row.uuid("key_id"),
          .name = row.text("name"),
          .scopes = row.texts("scopes"),
          .expires_at = row.maybe_instant("expires_at"),
          .allowed_addresses = row.texts("allowed_addresses"),
          .requests_per_second = row.maybe_integer("requests_per_second"),
          .request_burst = row.maybe_integer("request_burst"),
          .hint = row.text("hint"),
          .last_used_at = row.maybe_instant("last_used_at"),
          .deprecated_requests = row.integer("deprecated_requests"),
          .created_at = row.instant("created_at"),
          .updated_at = row.instant("updated_at"),
          .version = row.integer("version")};
}

}  // namespace

void read_key(pg::Group& reads, std::int64_t account, const Uuid& id) {
  reads.add(sql::get_managed_key, account, id);
}

std::optional<ApiKey> found_key(const pg::Result& result) {
  return result.first().transform(key_of);
}

void read_account(pg::Group& reads, std::int64_t account) { reads.add(sql::count_keys, account); }

KeyAccount found_account(const pg::Result& result) {
  return {.keys = result[0].integer("keys"), .is_test = result[0].boolean("is_test")};
}

void insert_key(pg::Group& effect, std::int64_t account, const ApiKey& key, const Sha256& hash,
                std::int64_t ring_key) {
  effect.add(sql::lock_account, account);  // serializes concurrent creates: the limit is exact
  effect.add(sql::require_room_for_key, account, limits::kApiKeys);
  effect.add(sql::insert_managed_key, account, key.id, key.name,
             std::span<const std::uint8_t>{hash}, key.hint, key.scopes, key.expires_at,
             key.allowed_addresses, key.requests_per_second, key.request_burst, key.created_at,
             ring_key);
}

void update_key(pg::Group& effect, std::int64_t account, const ApiKey& key) {
  effect.add(sql::update_managed_key, account, key.id, key.version, key.name, key.scopes,
             key.expires_at, key.allowed_addresses, key.requests_per_second, key.request_burst,
             key.updated_at);
}

void revoke_key(pg::Group& effect, std::int64_t account, const ApiKey& key) {
  effect.add(sql::revoke_managed_key, account, key.id, key.version);
}

boost::asio::awaitable<std::vector<ApiKey>> list_keys(pg::Pool& database, pg::Scope scope,
                                                      std::optional<std::string> after,
                                                      bool ascending, std::int64_t limit) {
  const pg::Result found =
      co_await database.query(scope, ascending ? sql::list_oldest_keys : sql::list_newest_keys,
                              *scope.account, after, limit);
  co_return found.map(key_of);
}

boost::asio::awaitable<std::vector<KeyLine>> list_all_keys(pg::Pool& database, pg::Scope scope,
                                                           std::int64_t account) {
  const pg::Result found = co_await database.query(scope, sql::list_all_keys, account);
  co_return found.map([](const pg::Row& row) {
    return KeyLine{.id = row.uuid("key_id"),
                   .name = row.text("name"),
                   .hint = row.text("hint"),
                   .scopes = row.texts("scopes"),
                   .created_at = row.instant("created_at"),
                   .expires_at = row.maybe_instant("expires_at"),
                   .last_used_at = row.maybe_instant("last_used_at"),
                   .revoked = row.boolean("revoked")};
  });
}

namespace {
// Returns the key's account, or nullopt if there is no such key.
boost::asio::awaitable<std::optional<std::int64_t>> revoke_key(pg::Transaction& transaction,
                                                               Uuid id) {
  const pg::Result changed = co_await transaction.query(sql::revoke_key, id);
  co_return changed.first().transform([](const pg::Row& row) { return row.integer("account_id"); });
}
}  // namespace

boost::asio::awaitable<bool> revoke(pg::Pool& database, pg::Scope scope, Uuid id) {
  const auto account = co_await operations::run_audited(
      database, scope, [&](pg::Transaction& transaction) { return revoke_key(transaction, id); },
      [&](std::optional<std::int64_t> owner) {
        return owner.transform([&](std::int64_t of) {
          return operations::AuditRow{
              .account = of, .operation = "revokeKey", .object = "keys/" + id.to_string()};
        });
      });
  co_return account.has_value();
}

}  // namespace shopbell::keys
