// The doctor's checks of PostgreSQL, made with the database roles of the configuration.
#include <array>
#include <format>
#include <map>
#include <vector>

#include "app/config/connections.h"
#include "app/config/queries.h"
#include "app/config/schema.h"
#include "app/doctor/doctor_checks.h"
#include "app/doctor/queries.h"
#include "base/limits.h"
#include "keyring/keyring.h"
#include "outgoing/signing_secret.h"
#include "resources/store/accounts.h"

namespace shopbell::app {

namespace {

// The maximum number of accounts searched for an encrypted secret.
constexpr std::size_t kAccountsSearched = 200;

// Collects the issues of a check, to report all of them on one line.
struct Issues {
  std::string found;
  std::string mend;

  void add(std::string_view wrong, std::string_view remedy) {
    found += std::format("{}{}", found.empty() ? "" : "; ", wrong);
    if (!mend.contains(remedy)) mend += std::format("{}{}", mend.empty() ? "" : "; ", remedy);
  }
  Finding finding(Grade grade, std::string_view well) const {
    if (found.empty()) return {Grade::ok, std::string{well}, {}};
    return {grade, found, mend};
  }
};

Finding check_connection(InspectedInstallation& installation, Role role) {
  const std::string trouble = installation.connection_trouble_of(role);
  if (trouble.empty()) return {Grade::ok, "connected", {}};
  const std::string why = connection_trouble(trouble);
  const auto setting = std::format("database.{}", name_of(role));
  if (why.contains("password authentication failed")) {
    return {Grade::fault, why,
            std::format("write the role's password into {}, or set a new password as "
                        "administrator: ALTER ROLE shopbell_{} PASSWORD '…'",
                        setting, name_of(role))};
  }
  return {Grade::fault, why,
          std::format("start PostgreSQL, or correct {}: "
                      "postgresql://user:password@host:5432/database, with special characters of "
                      "the password encoded as %XX",
                      setting)};
}

Finding check_server(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::get_server);
  const pg::Row row = result[0];
  Issues issues;
  if (row.integer("version") < 170'000)
    issues.add(std::format("PostgreSQL {}", row.view("version_text")),
               "upgrade the server to PostgreSQL 17 or newer with pg_upgrade");
  if (row.view("encoding") != "UTF8")
    issues.add(std::format("the encoding of the database is {}", row.view("encoding")),
               "dump it and restore it into a database created by `shopbell init`, which is UTF8");
  return issues.finding(Grade::fault, std::format("PostgreSQL {}, {}", row.view("version_text"),
                                                  row.view("encoding")));
}

Finding check_schema(InspectedInstallation& installation) {
  const auto found =
      installation.ask(Role::worker, config::sql::count_migrations)[0].integer("count");
  const int wanted = schema_version();
  std::string state =
      std::format("the schema is at migration {}, this binary at {}", found, wanted);
  if (found < wanted) return {Grade::fault, std::move(state), "shopbell migrate"};
  if (found == wanted) return {Grade::ok, std::move(state), {}};
  return {Grade::warn, std::move(state), "run the newer binary that migrated the database"};
}

Finding check_durability(InspectedInstallation& installation) {
  Issues issues;
  for (const Role role : {Role::api, Role::worker}) {
    const pg::Result result = installation.ask(role, doctor::sql::get_durability);
    const pg::Row row = result[0];
    for (const auto* setting : {"fsync", "full_page_writes"}) {
      // These settings apply to the whole server: report them for one role only.
      if (row.view(setting) != "off" || role != Role::api) continue;
      issues.add(std::format("{} is off", setting),
                 std::format("ALTER SYSTEM SET {} = on; SELECT pg_reload_conf()", setting));
    }
    if (row.view("synchronous_commit") != "off") continue;
    issues.add(std::format("synchronous_commit is off for {}", row.view("role")),
               std::format("ALTER ROLE {} SET synchronous_commit = on, and restart the service",
                           row.view("role")));
  }
  if (!issues.found.empty()) issues.found += ": acknowledged writes can be lost";
  return issues.finding(Grade::fault, "acknowledged writes are on disk");
}

Finding check_autovacuum(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::get_autovacuum);
  Issues issues;
  for (const auto* setting : {"autovacuum", "track_counts"}) {
    if (result[0].view(setting) != "off") continue;
    issues.add(std::format("{} is off: tables become bloated and slow", setting),
               std::format("ALTER SYSTEM SET {} = on; SELECT pg_reload_conf()", setting));
  }
  return issues.finding(Grade::fault, "on");
}

Finding check_room(InspectedInstallation& installation) {
  const Connections own = connections_of(installation.config());
  return grade_room(
      installation.ask(Role::worker, doctor::sql::get_connection_room)[0].integer("room"),
      static_cast<std::int64_t>(own.standing), static_cast<std::int64_t>(own.most));
}

Finding check_clock(InspectedInstallation& installation) {
  installation.ask(Role::worker,
                   doctor::sql::get_clock);  // prepares the statement before it is timed
  const Instant before = system_clock().now();
  const Instant there = installation.ask(Role::worker, doctor::sql::get_clock)[0].instant("now");
  const Instant after = system_clock().now();
  return grade_clock(there - (before + (after - before) / 2));
}

Finding check_event_months(InspectedInstallation& installation) {
  const pg::Result months = installation.ask(Role::worker, doctor::sql::list_event_months);
  Issues issues;
  for (std::size_t i = 0; i < months.size(); ++i) {
    if (months[i].boolean("made")) continue;
    issues.add(std::format("{} is missing: no event can be written from {} on",
                           months[i].view("name"), months[i].view("starts")),
               "start the service again: it creates the next months' partitions before it is "
               "ready, and every hour");
  }
  return issues.finding(Grade::fault, "this month and the next have partitions");
}

Finding check_jobs(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::count_stuck_jobs);
  const pg::Row row = result[0];
  const auto abandoned = row.integer("abandoned");
  const auto waiting = row.integer("waiting");
  if (abandoned == 0 && waiting == 0) return {Grade::ok, "no job is stuck", {}};
  // An overdue job that a process holds may just be long. If no process holds one, no worker runs.
  const bool no_worker = abandoned > 0 || row.integer("held") == 0;
  return {no_worker ? Grade::fault : Grade::warn,
          std::format("{} jobs have waited for over 10 minutes, {} were abandoned by a dead "
                      "process",
                      waiting, abandoned),
          no_worker ? "start a process that runs jobs: shopbell run, or systemctl restart "
                      "shopbell; it logs `jobs wait` if it cannot"
                    : "start another `shopbell run`: each runs two jobs at a time"};
}

Finding check_transactions(InspectedInstallation& installation) {
  struct Old {
    std::string role;
    std::string how;
  };
  std::map<std::int64_t, Old> by_pid;  // each role sees times of its own sessions only
  for (const Role role : kRoles) {
    const pg::Result rows = installation.ask(role, doctor::sql::list_old_transactions);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto seconds = rows[i].maybe_integer("seconds");
      by_pid[rows[i].integer("pid")] = {
          rows[i].text("role"),
          seconds ? std::format("open for {} minutes", *seconds / 60)
                  : std::format("with a snapshot {} million transactions old",
                                rows[i].maybe_integer("held_back").value_or(0) / 1'000'000)};
    }
  }
  Issues issues;
  for (const auto& [pid, old] : by_pid)
    issues.add(std::format("a transaction of {}, {}", old.role, old.how),
               std::format("SELECT pg_terminate_backend({})", pid));
  const pg::Result prepared = installation.ask(Role::worker, doctor::sql::list_old_prepared);
  for (std::size_t i = 0; i < prepared.size(); ++i)
    issues.add(std::format("a transaction of {}, prepared {} minutes ago", prepared[i].view("role"),
                           prepared[i].integer("seconds") / 60),
               std::format("ROLLBACK PREPARED '{}'", prepared[i].view("gid")));
  if (!issues.found.empty()) issues.found += ": VACUUM cannot remove rows deleted since then";
  return issues.finding(Grade::warn, "no transaction is open for over an hour");
}

Finding check_age(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::get_oldest_database);
  return grade_age(result[0].text("name"), result[0].integer("age"));
}

Finding check_rights(InspectedInstallation& installation) {
  Issues issues;
  std::map<std::string, Role> seen;
  for (const Role role : kRoles) {
    const pg::Result result = installation.ask(role, doctor::sql::get_role_rights);
    const pg::Row row = result[0];
    const std::string name = row.text("role");
    const auto [other, is_new] = seen.emplace(name, role);
    if (!is_new) {
      const std::string_view first = name_of(other->second);
      const std::string_view second = name_of(role);
      issues.add(std::format("database.{} and database.{} are both {}", first, second, name),
                 std::format("connect database.{} as shopbell_{} and database.{} as shopbell_{}",
                             first, first, second, second));
    }
    if (row.boolean("is_superuser"))
      issues.add(std::format("{} is a superuser", name),
                 std::format("ALTER ROLE {} NOSUPERUSER", name));
    if (row.boolean("passes_row_security"))
      issues.add(std::format("{} bypasses row-level security", name),
                 std::format("ALTER ROLE {} NOBYPASSRLS", name));
    if (row.boolean("acts_as_owner") && !row.boolean("is_superuser"))
      issues.add(std::format("{} has the rights of the tables' owner", name),
                 std::format("REVOKE shopbell_owner FROM {}", name));
  }
  return issues.finding(Grade::fault, "no role has excess rights");
}

Finding check_row_security(InspectedInstallation& installation) {
  const pg::Result tables = installation.ask(Role::worker, doctor::sql::list_open_tables);
  Issues issues;
  for (std::size_t i = 0; i < tables.size(); ++i)
    issues.add(std::format("{} has no row-level security", tables[i].view("name")),
               std::format("as shopbell_owner: ALTER TABLE {} ENABLE ROW LEVEL SECURITY",
                           tables[i].view("name")));
  return issues.finding(Grade::fault, "enabled on every table with account data");
}

// Tells whether the keyring decrypts a secret of the account; nullopt if the account has none.
std::optional<bool> opens_a_secret(InspectedInstallation& installation,
                                   const keyring::Keyring& ring, std::int64_t account) {
  const pg::Result sealed = installation.ask(Role::api, doctor::sql::get_sealed_secret, account);
  if (sealed.empty()) return std::nullopt;
  return ring
      .unseal(sealed[0].bytes("signing_secret"),
              outgoing::secret_context(account, sealed[0].uuid("event_type_id")))
      .has_value();
}

// The database does not store which keyring it uses: API keys and encrypted secrets show it.
Finding check_keyring_of_database(InspectedInstallation& installation) {
  const Finding another{
      Grade::fault,
      {},
      "restore this database's keyring from its backup; if it is lost, create a new key for every "
      "store (`shopbell key create`) and revoke the old ones"};
  const auto with = [&](std::string found) {
    return Finding{another.grade, std::move(found), another.mend};
  };
  const auto ring = keyring::Keyring::load(installation.config().keyring);
  const Instant made = ring.describe().back().created;  // creation time of the ring's first key
  const auto oldest =
      installation.ask(Role::worker, doctor::sql::get_oldest_key)[0].maybe_instant("created_at");
  if (oldest && *oldest + std::chrono::minutes{1} < made) {
    return with(std::format("an API key was created at {}, before the keyring at {}",
                            to_rfc3339(*oldest), to_rfc3339(made)));
  }
  const auto accounts = installation.run(
      Role::worker, std::nullopt,
      [](pg::Pool& database, pg::Scope scope) { return store::list_accounts(database, scope); });
  for (std::size_t i = 0; i < std::min(accounts.size(), kAccountsSearched); ++i) {
    const auto opens = opens_a_secret(installation, ring, accounts[i].id);
    if (!opens) continue;
    if (!*opens) return with("it cannot decrypt the secrets in this database");
    return {Grade::ok, "it decrypts the secrets in this database", {}};
  }
  return {Grade::ok,
          "it is older than every API key; the database has no secret to test it "
          "with",
          {}};
}

constexpr std::array kDatabaseChecks{
    Check{"database as api",
          [](InspectedInstallation& p) { return check_connection(p, Role::api); }},
    Check{"database as worker",
          [](InspectedInstallation& p) { return check_connection(p, Role::worker); }},
    Check{"database as reader",
          [](InspectedInstallation& p) { return check_connection(p, Role::reader); }},
    Check{"server", check_server},
    Check{"schema", check_schema},
    Check{"durability", check_durability},
    Check{"autovacuum", check_autovacuum},
    Check{"connections", check_room},
    Check{"clock", check_clock},
    Check{"event months", check_event_months},
    Check{"jobs", check_jobs},
    Check{"open transactions", check_transactions},
    Check{"transaction ids", check_age},
    Check{"role rights", check_rights},
    Check{"row security", check_row_security},
    Check{"keyring fits", check_keyring_of_database},
};

}  // namespace

std::span<const Check> database_checks() { return kDatabaseChecks; }

}  // namespace shopbell::app
