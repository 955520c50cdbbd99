#include "pg/migrate.h"

#include <algorithm>
#include <array>
#include <format>
#include <iterator>
#include <ranges>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/digest.h"

namespace shopbell::pg {

namespace {

// The key is arbitrary, but must never change.
constexpr std::string_view kLock = "SELECT pg_advisory_lock(7236287432)";
constexpr std::string_view kUnlock = "SELECT pg_advisory_unlock(7236287432)";

constexpr std::string_view kStep = "\n-- step\n";
// A step with this line is a query that returns statements, one per row, which then run. Indexes of
// partitions need such a step, because partitions have no fixed names.
constexpr std::string_view kEachRow = "-- each row\n";

// A session that waits for a table lock blocks every session behind it. So a migration waits for a
// lock as briefly as a request does, and retries for a minute.
constexpr std::string_view kBeginMigration = "BEGIN; SET LOCAL lock_timeout = '50ms'";
constexpr auto kPause = std::chrono::milliseconds{150};
constexpr int kAttempts = 300;

constexpr std::string_view kHistory = R"sql(
CREATE TABLE IF NOT EXISTS schema_migration (
  number     integer PRIMARY KEY,
  name       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT transaction_timestamp()
);
COMMENT ON COLUMN schema_migration.number IS 'not personal';
COMMENT ON COLUMN schema_migration.name IS 'not personal';
COMMENT ON COLUMN schema_migration.checksum IS 'not personal';
COMMENT ON COLUMN schema_migration.applied_at IS 'not personal';
)sql";

std::string checksum(const Migration& migration) { return to_hex(sha256(migration.sql)); }

bool is_online(const Migration& migration) { return migration.sql.starts_with("-- online"); }

Result history_of(Script& script) {
  return script.query("SELECT name, checksum FROM schema_migration ORDER BY number");
}

void check_contents(const Result& history, std::span<const Migration> migrations) {
  for (std::size_t i = 0; i < std::min(history.size(), migrations.size()); ++i) {
    if (history[i].view("checksum") == checksum(migrations[i])) continue;
    throw std::runtime_error{
        std::format("migration {} was applied with different content than this binary has",
                    history[i].view("name"))};
  }
}

void check_history(const Result& history, std::span<const Migration> migrations) {
  if (history.size() > migrations.size()) {
    throw std::runtime_error{std::format(
        "the database is at migration {}, this binary knows only {}: run a newer version",
        history[history.size() - 1].view("name"), migrations.size())};
  }
  check_contents(history, migrations);
}

void note_done(Script& script, std::size_t number, const Migration& migration) {
  const std::array<std::string, 3> row{std::to_string(number), std::string{migration.name},
                                       checksum(migration)};
  script.query("INSERT INTO schema_migration (number, name, checksum) VALUES ($1, $2, $3)", row);
}

// A failed or interrupted CREATE INDEX CONCURRENTLY leaves an invalid index, which every write
// maintains and no query uses. IF NOT EXISTS would take it for the finished one.
void drop_invalid_indexes(Script& script) {
  const Result invalid = script.query(
      "SELECT i.indexrelid::regclass::text AS name FROM pg_index i "
      "JOIN pg_class c ON c.oid = i.indexrelid AND c.relkind = 'i' "
      "AND c.relnamespace = 'public'::regnamespace AND pg_has_role(c.relowner, 'USAGE') "
      "WHERE NOT i.indisvalid AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p "
      "WHERE p.index_relid = i.indexrelid) ORDER BY 1");
  for (std::size_t i = 0; i < invalid.size(); ++i)
    script.run(std::format("DROP INDEX CONCURRENTLY {}", invalid[i].text("name")));
}

void apply_online(Script& script, std::size_t number, const Migration& migration) {
  drop_invalid_indexes(script);
  // CONCURRENTLY cannot run inside a transaction block, so each step is sent alone.
  for (const auto part : std::views::split(migration.sql, kStep)) {
    const std::string_view step{part};
    if (!step.contains(kEachRow)) {
      script.run(step);
      continue;
    }
    const Result statements = script.query(step);
    for (std::size_t i = 0; i < statements.size(); ++i) script.run(statements[i].view("statement"));
  }
  note_done(script, number, migration);
}

void apply_whole(Script& script, std::size_t number, const Migration& migration) {
  script.run(kBeginMigration);
  try {
    script.run(migration.sql);
    note_done(script, number, migration);
  } catch (const Error&) {
    script.run("ROLLBACK");
    throw;
  }
  script.run("COMMIT");
}

void apply(Script& script, std::size_t number, const Migration& migration) {
  if (is_online(migration)) return apply_online(script, number, migration);
  for (int attempt = 1;; ++attempt) {
    try {
      return apply_whole(script, number, migration);
    } catch (const Error& error) {
      if (!error.is_lock_timeout()) throw;
    }
    if (attempt == kAttempts) {
      throw std::runtime_error{std::format(
          "{} could not lock a table within a minute: end the session that uses it (an export, a "
          "dump, an open transaction), then run this again",
          migration.name)};
    }
    std::this_thread::sleep_for(kPause);
  }
}

std::set<std::string> names_of(const Result& tables) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < tables.size(); ++i) names.insert(tables[i].text("name"));
  return names;
}

std::set<std::string> tables_of(Script& script) {
  return names_of(
      script.query("SELECT oid::regclass::text AS name FROM pg_class WHERE relkind IN ('r', 'p') "
                   "AND relnamespace = 'public'::regnamespace"));
}

// Tables that this transaction locks against writes.
std::set<std::string> locked_tables(Script& script) {
  return names_of(script.query(
      "SELECT DISTINCT c.oid::regclass::text AS name "
      "FROM pg_locks l JOIN pg_class c ON c.oid = l.relation AND c.relkind IN ('r', 'p') "
      "WHERE l.pid = pg_backend_pid() AND l.granted AND l.mode IN "
      "('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')"));
}

// Runs inside a transaction that the caller rolls back.
int rehearse_missing(Script& script, std::span<const Migration> migrations,
                     const std::function<void(const Rehearsed&)>& tried) {
  using Steady = std::chrono::steady_clock;
  script.run("SET LOCAL lock_timeout = '1s'");
  const std::set<std::string> existing = tables_of(script);
  script.run(kHistory);
  const Result history = history_of(script);
  check_history(history, migrations);
  bool possible = true;
  for (std::size_t i = history.size(); i < migrations.size(); ++i) {
    Rehearsed rehearsed{.name = migrations[i].name};
    // Migrations after an online one may depend on it, so they are not tried either.
    possible = possible && !is_online(migrations[i]);
    rehearsed.tried = possible;
    if (possible) {
      const auto began = Steady::now();
      script.run(migrations[i].sql);
      note_done(script, i + 1, migrations[i]);
      rehearsed.took = std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - began);
    }
    if (rehearsed.took > std::chrono::seconds{1})
      std::ranges::set_intersection(existing, locked_tables(script),
                                    std::back_inserter(rehearsed.locked));
    tried(rehearsed);
  }
  return static_cast<int>(migrations.size() - history.size());
}

}  // namespace

int migrate(Script& script, std::span<const Migration> migrations,
            const std::function<void(std::string_view name)>& applied) {
  script.run(kLock);
  script.run(kHistory);
  const Result history = history_of(script);
  check_history(history, migrations);
  for (std::size_t i = history.size(); i < migrations.size(); ++i) {
    apply(script, i + 1, migrations[i]);
    applied(migrations[i].name);
  }
  script.run(kUnlock);
  return static_cast<int>(migrations.size() - history.size());
}

Standing standing_of(Script& script, std::span<const Migration> migrations) {
  Standing standing;
  std::size_t applied = 0;
  // Before the first migration the history table does not exist.
  if (!script.query("SELECT 1 WHERE to_regclass('schema_migration') IS NOT NULL").empty()) {
    const Result history = history_of(script);
    check_contents(history, migrations);
    applied = history.size();
    for (std::size_t i = migrations.size(); i < applied; ++i)
      standing.newer.push_back(history[i].text("name"));
  }
  for (std::size_t i = applied; i < migrations.size(); ++i)
    standing.missing.emplace_back(migrations[i].name);
  return standing;
}

int rehearse(Script& script, std::span<const Migration> migrations,
             const std::function<void(const Rehearsed&)>& tried) {
  script.run(kLock);
  script.run("BEGIN");
  int count = 0;
  try {
    count = rehearse_missing(script, migrations, tried);
  } catch (const std::exception&) {
    script.run("ROLLBACK");
    script.run(kUnlock);
    throw;
  }
  script.run("ROLLBACK");
  script.run(kUnlock);
  return count;
}

}  // namespace shopbell::pg
