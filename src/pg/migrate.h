// Migrations: forward-only changes of the schema, compiled into the binary. A transactional one is
// applied wholly or not at all. An online one (`-- online` in its first line) runs outside a
// transaction, step by step (separated by `-- step`), and is idempotent. Before its first step,
// invalid indexes are dropped, which a failed attempt left.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pg/script.h"

namespace shopbell::pg {

struct Migration {
  std::string_view name;  // such as "0001_accounts"
  std::string_view sql;
};

// Applies missing migrations, one process at a time, and calls `applied` with each name. Throws if
// the database's history is not a prefix of this list: it belongs to another version. Retries table
// locks with a short timeout, so that no session queues behind it, and gives up after a minute.
int migrate(Script& script, std::span<const Migration> migrations,
            const std::function<void(std::string_view name)>& applied);

// The difference between a database and this binary. At most one of the two lists is non-empty.
struct Standing {
  std::vector<std::string> missing;  // migrations that the database lacks
  std::vector<std::string> newer;  // migrations that the database has and this binary does not know
};
// Read-only. Throws if an applied migration has different content.
Standing standing_of(Script& script, std::span<const Migration> migrations);

// The result of trying one migration and rolling it back.
struct Rehearsed {
  std::string_view name;
  bool tried = false;  // false for an online one, which cannot be rolled back, and for all after it
  std::chrono::milliseconds took{};
  // Filled if the migration took over a second: existing tables that are locked against writes at
  // its end, by this or by an earlier migration.
  std::vector<std::string> locked;
};

// Runs missing migrations in one transaction, rolls it back, and calls `tried` for each. Locks are
// held to the end. It gives up when a lock takes over a second, so that no session queues behind it
// for longer. Throws in the same cases as `migrate`.
int rehearse(Script& script, std::span<const Migration> migrations,
             const std::function<void(const Rehearsed&)>& tried);

}  // namespace shopbell::pg
