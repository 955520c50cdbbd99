#include "resources/keys/key_store.h"

#include "base/limits.h"
#include "operations/audit.h"
#include "resources/keys/queries.h"

namespace shopbell::keys {

std::optional<rates::Rate> rate_of(std::optional<std::int64_t> per_second,
                                   std::optional<std::int64_t> burst) {
  if (!per_second && !burst) return std::nullopt;
  rates::Rate rate;
  if (per_second) rate.burst = *per_second * rate.burst / rate.per_second;
  rate.per_second = per_second.value_or(rate.per_second);
  rate.burst = burst.value_or(rate.burst);
  return rate;
}

boost::asio::awaitable<std::optional<Token>> create_key(pg::Pool& database, pg::Scope scope,
                                                        const keyring::Keyring& keyring, NewKey key,
                                                        Instant now) {
  const pg::Result account = co_await database.query(scope, sql::get_account_mode, key.account);
  if (account.empty()) co_return std::nullopt;
  Token token = Token::create(account[0].boolean("is_test") ? Mode::test : Mode::live);
  const Sha256 hash = keyring.hash(keyring::Purpose::api_keys, token.text);
  const Uuid id = Uuid::v7(now);
  pg::Group effect;
  effect.add(sql::insert_key, key.account, id, key.name, std::span<const std::uint8_t>{hash},
             token.hint(), key.scopes, key.expires_at, keyring.id_in_force());
  operations::AuditRow audit{.account = key.account,
                             .operation = "createKey",
                             .object = "keys/" + id.to_string(),
                             .members = {"name", "scopes"}};
  if (key.expires_at) audit.members.emplace_back("expiresAt");
  operations::add_audit_row(effect, audit, now);
  co_await database.run(std::move(effect), scope);
  co_return token;
}

boost::asio::awaitable<std::optional<FoundKey>> find_key(pg::Pool& database, pg::Scope scope,
                                                         std::vector<Sha256> hashes) {
  std::vector<std::string> texts;
  texts.reserve(hashes.size());
  for (const auto& hash : hashes) texts.push_back("\\x" + to_hex(hash));
  const pg::Result result = co_await database.query(scope, sql::find_key, texts);
  const auto row = result.first();
  if (!row) co_return std::nullopt;
  co_return FoundKey{.account = row->integer("account_id"),
                     .key_id = row->uuid("key_id"),
                     .scopes = row->texts("scopes"),
                     .suspended = row->view("state") == "suspended",
                     .expired = row->boolean("expired"),
                     .revoked = row->boolean("revoked"),
                     .allowed_addresses = row->texts("allowed_addresses"),
                     .account_rate = rate_of(row->maybe_integer("account_requests_per_second"),
                                             row->maybe_integer("account_request_burst"))
                                         .value_or(rates::Rate{}),
                     .hash = row->bytes("hash"),
                     .ring_key = row->maybe_integer("ring_key"),
                     .key_rate = rate_of(row->maybe_integer("key_requests_per_second"),
                                         row->maybe_integer("key_request_burst"))};
}

boost::asio::awaitable<void> rehash_key(pg::Pool& database, pg::Scope scope, FoundKey key,
                                        Sha256 hash, std::int64_t ring_key) {
  co_await database.query(scope, sql::rehash_key, std::span<const std::uint8_t>{key.hash},
                          std::span<const std::uint8_t>{hash}, ring_key);
}

boost::asio::awaitable<DependentKeys> list_dependent_keys(pg::Pool& database, pg::Scope scope,
                                                          std::int64_t ring_key) {
  const pg::Result found =
      co_await database.query(scope, sql::list_dependent_keys, ring_key,
                              static_cast<std::int64_t>(limits::kDependentsShown));
  co_return DependentKeys{.count = found.empty() ? 0 : found[0].integer("count"),
                          .first = found.map([](const pg::Row& row) {
                            return DependentKey{.account = row.integer("account_id"),
                                                .id = row.uuid("key_id"),
                                                .name = row.text("name"),
                                                .last_used_at = row.maybe_instant("last_used_at")};
                          })};
}

}  // namespace shopbell::keys
