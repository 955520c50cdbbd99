// Deletion of accounts: a grace period, then a background deletion in small steps. An account and
// its test account are deleted together. All of this needs the worker's database role.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "base/time.h"
#include "pg/pool.h"

namespace shopbell::store {

// The deletion of one account, as far as it has come.
struct Deletion {
  Instant delete_at;                // end of the grace period
  std::optional<Instant> began_at;  // no restore is possible from here
  std::int64_t deleted_rows = 0;
  std::int64_t files = 0;  // files that wait for their removal
};

struct AccountDetails {
  std::int64_t id;
  std::optional<std::int64_t> live_id;  // the live account of a test account
  std::optional<std::int64_t> test_id;  // the test account of a live account
  std::string state;
  std::string name;
  Instant created_at;
  std::optional<Deletion> deletion;
};
boost::asio::awaitable<std::optional<AccountDetails>> find_account(pg::Pool& database,
                                                                   pg::Scope scope,
                                                                   std::int64_t account);

// Suspends a live account and its test account, and marks both for deletion after the grace period.
// Returns the end of the grace period; nullopt if there is no such live account, or if it is marked
// already.
boost::asio::awaitable<std::optional<Instant>> mark_for_deletion(pg::Transaction& transaction,
                                                                 std::int64_t account,
                                                                 std::chrono::days grace);
// Removes the mark and returns both accounts to their previous states. Returns false if they are
// not marked, or if the grace period is over.
boost::asio::awaitable<bool> restore(pg::Transaction& transaction, std::int64_t account);

// Deletes one batch of an account whose grace period is over. Returns the number of rows, 0 if the
// account has to wait for files or requests in flight, nullopt if no account is due.
boost::asio::awaitable<std::optional<std::int64_t>> delete_due_rows(pg::Pool& database);

}  // namespace shopbell::store
