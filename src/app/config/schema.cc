#include "app/config/schema.h"

#include <array>
#include <cstdlib>
#include <format>
#include <print>
#include <ranges>
#include <span>
#include <string_view>

#include "base/time.h"
#include "base/uuid.h"
#include "migrations.h"
#include "pg/migrate.h"
#include "pg/script.h"

namespace shopbell::app {

namespace {

constexpr int kNewer = 2;

void print_result(const pg::Rehearsed& rehearsed) {
  if (!rehearsed.tried) {
    std::println("not tried {}: it is an online migration, or follows one", rehearsed.name);
    return;
  }
  std::println("tried {} {} ms", rehearsed.name, rehearsed.took.count());
  if (rehearsed.locked.empty()) return;
  std::println("  took over a second; writes to these tables were blocked: {}",
               rehearsed.locked | std::views::join_with(' ') | std::ranges::to<std::string>());
}

}  // namespace

void record_command(pg::Script& owner, const std::string& operation, const std::string& object) {
  const std::array<std::string, 3> row{Uuid::v7(system_clock().now()).to_string(), operation,
                                       object};
  owner.query(
      "INSERT INTO audit (account_id, audit_id, at, actor, operation, object, members) "
      "VALUES (0, $1::uuid, transaction_timestamp(), 'command', $2, $3, '{}')",
      row);
}

void migrate(const std::string& owner_url) {
  pg::Script owner{owner_url};
  const int count = pg::migrate(owner, kMigrations,
                                [](std::string_view name) { std::println("applied {}", name); });
  if (count == 0) {
    std::println("the schema is up to date");
  } else {
    // The table schema_migration records each migration; the audit row records the command.
    record_command(owner, "migrate", std::format("schema/{}", std::span{kMigrations}.back().name));
  }
}

int check_migrations(const std::string& owner_url) {
  pg::Script owner{owner_url};
  const pg::Standing standing = pg::standing_of(owner, kMigrations);
  for (const auto& name : standing.missing) std::println("missing {}", name);
  for (const auto& name : standing.newer) std::println("newer {}", name);
  if (!standing.missing.empty()) return EXIT_FAILURE;
  if (!standing.newer.empty()) return kNewer;
  std::println("the schema is up to date");
  return EXIT_SUCCESS;
}

void rehearse_migrations(const std::string& owner_url) {
  pg::Script owner{owner_url};
  const int count = pg::rehearse(owner, kMigrations, print_result);
  std::println("{}", count == 0 ? "the schema is up to date" : "rolled back");
}

int schema_version() { return static_cast<int>(std::size(kMigrations)); }

}  // namespace shopbell::app
