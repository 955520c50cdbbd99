#include "pg/migrate.h"

#include <array>
#include <format>
#include <ranges>
#include <stdexcept>

#include "base/digest.h"

namespace shopbell::pg {

namespace {

// Any number will do, as long as it stays the same.
constexpr std::string_view kLock = "SELECT pg_advisory_lock(7236287432)";
constexpr std::string_view kUnlock = "SELECT pg_advisory_unlock(7236287432)";

constexpr std::string_view kStep = "\n-- step\n";

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

void check_history(const Result& history, std::span<const Migration> migrations) {
  if (history.size() > migrations.size()) {
    throw std::runtime_error{
        std::format("the database is at migration {}, this binary knows only {}: run a newer one",
                    history[history.size() - 1].view("name"), migrations.size())};
  }
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (history[i].view("checksum") == checksum(migrations[i])) continue;
    throw std::runtime_error{
        std::format("migration {} was applied with another content than this binary has",
                    history[i].view("name"))};
  }
}

void apply(Script& script, std::size_t number, const Migration& migration) {
  const std::array<std::string, 3> row{std::to_string(number), std::string{migration.name},
                                       checksum(migration)};
  constexpr std::string_view kDone =
      "INSERT INTO schema_migration (number, name, checksum) VALUES ($1, $2, $3)";
  if (migration.sql.starts_with("-- online")) {
    // CONCURRENTLY refuses company, so each step travels alone.
    for (const auto step : std::views::split(migration.sql, kStep))
      script.run(std::string_view{step});
    script.query(kDone, row);
    return;
  }
  script.run("BEGIN");
  try {
    script.run(migration.sql);
    script.query(kDone, row);
  } catch (const Error&) {
    script.run("ROLLBACK");
    throw;
  }
  script.run("COMMIT");
}

}  // namespace

int migrate(Script& script, std::span<const Migration> migrations,
            const std::function<void(std::string_view name)>& applied) {
  script.run(kLock);
  script.run(kHistory);
  const Result history =
      script.query("SELECT name, checksum FROM schema_migration ORDER BY number");
  check_history(history, migrations);
  for (std::size_t i = history.size(); i < migrations.size(); ++i) {
    apply(script, i + 1, migrations[i]);
    applied(migrations[i].name);
  }
  script.run(kUnlock);
  return static_cast<int>(migrations.size() - history.size());
}

}  // namespace shopbell::pg
