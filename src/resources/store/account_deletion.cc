#include "resources/store/account_deletion.h"

#include "base/limits.h"
#include "resources/store/queries.h"

namespace shopbell::store {

namespace {

std::optional<Deletion> deletion_of(const pg::Row& row) {
  const auto delete_at = row.maybe_instant("delete_at");
  if (!delete_at) return std::nullopt;
  return Deletion{.delete_at = *delete_at,
                  .began_at = row.maybe_instant("deletion_began_at"),
                  .deleted_rows = row.integer("deleted_rows"),
                  .files = row.integer("files")};
}

AccountDetails details_of(const pg::Row& row) {
  return {.id = row.integer("account_id"),
          .live_id = row.maybe_integer("live_account_id"),
          .test_id = row.maybe_integer("test_account_id"),
          .state = row.text("state"),
          .name = row.text("name"),
          .created_at = row.instant("created_at"),
          .deletion = deletion_of(row)};
}

}  // namespace

boost::asio::awaitable<std::optional<AccountDetails>> find_account(pg::Pool& database,
                                                                   pg::Scope scope,
                                                                   std::int64_t account) {
  const pg::Result found = co_await database.query(scope, sql::get_account, account);
  co_return found.first().transform(details_of);
}

boost::asio::awaitable<std::optional<Instant>> mark_for_deletion(pg::Transaction& transaction,
                                                                 std::int64_t account,
                                                                 std::chrono::days grace) {
  const pg::Result marked =
      co_await transaction.query(sql::mark_account_for_deletion, account, grace.count());
  co_return marked.first().transform([](const pg::Row& row) { return row.instant("delete_at"); });
}

boost::asio::awaitable<bool> restore(pg::Transaction& transaction, std::int64_t account) {
  pg::Group group;
  // Lock first, so that the update sees whether the deletion has begun meanwhile.
  group.add(sql::lock_account_pair, account);
  group.add(sql::restore_account, account);
  const pg::Results results = co_await transaction.run(std::move(group));
  co_return !results[1].empty();
}

boost::asio::awaitable<std::optional<std::int64_t>> delete_due_rows(pg::Pool& database) {
  const pg::Result done =
      co_await database.query({}, sql::delete_account_rows, limits::kUpkeepBatch,
                              std::chrono::seconds{limits::kAccountSettles}.count(),
                              std::chrono::seconds{limits::kUploadLease}.count());
  co_return done[0].maybe_integer("count");
}

}  // namespace shopbell::store
