// What the doctor asks PostgreSQL, as the roles of the configuration.
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

// For something that is sealed.
constexpr std::size_t kAccountsLookedThrough = 200;

// Collects what is wrong, so that one line tells all of it.
struct Wrongs {
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
            std::format("write the role's password into {}, or give it a new one as "
                        "administrator: ALTER ROLE shopbell_{} PASSWORD '…'",
                        setting, name_of(role))};
  }
  return {Grade::fault, why,
          std::format("start PostgreSQL, or correct {}: postgresql://user:password@host:5432/"
                      "database, with a password whose special characters are written as %XX",
                      setting)};
}

Finding check_server(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::get_server);
  const pg::Row row = result[0];
  Wrongs wrongs;
  if (row.integer("version") < 170'000)
    wrongs.add(std::format("PostgreSQL {}", row.view("version_text")),
               "bring the server up to PostgreSQL 17 or newer with pg_upgrade");
  if (row.view("encoding") != "UTF8")
    wrongs.add(std::format("the database is encoded in {}", row.view("encoding")),
               "dump it into a database that `shopbell init` made: those are UTF8");
  return wrongs.finding(Grade::fault, std::format("PostgreSQL {}, {}", row.view("version_text"),
                                                  row.view("encoding")));
}

Finding check_schema(InspectedInstallation& installation) {
  const auto found =
      installation.ask(Role::worker, config::sql::count_migrations)[0].integer("count");
  const int wanted = schema_version();
  std::string state = std::format("at migration {}, this binary knows {}", found, wanted);
  if (found < wanted) return {Grade::fault, std::move(state), "shopbell migrate"};
  if (found == wanted) return {Grade::ok, std::move(state), {}};
  return {Grade::warn, std::move(state), "run the newer binary that migrated the database"};
}

Finding check_durability(InspectedInstallation& installation) {
  Wrongs wrongs;
  for (const Role role : {Role::api, Role::worker}) {
    const pg::Result result = installation.ask(role, doctor::sql::get_durability);
    const pg::Row row = result[0];
    for (const auto* setting : {"fsync", "full_page_writes"}) {
      if (row.view(setting) != "off" || role != Role::api) continue;  // the server's, said once
      wrongs.add(std::format("{} is off", setting),
                 std::format("ALTER SYSTEM SET {} = on; SELECT pg_reload_conf()", setting));
    }
    if (row.view("synchronous_commit") != "off") continue;
    wrongs.add(std::format("synchronous_commit is off for {}", row.view("role")),
               std::format("ALTER ROLE {} SET synchronous_commit = on, and restart the service",
                           row.view("role")));
  }
  if (!wrongs.found.empty()) wrongs.found += ": writes that were acknowledged can be lost";
  return wrongs.finding(Grade::fault, "what is acknowledged is on the disk");
}

Finding check_autovacuum(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::get_autovacuum);
  Wrongs wrongs;
  for (const auto* setting : {"autovacuum", "track_counts"}) {
    if (result[0].view(setting) != "off") continue;
    wrongs.add(std::format("{} is off: tables swell and slow down", setting),
               std::format("ALTER SYSTEM SET {} = on; SELECT pg_reload_conf()", setting));
  }
  return wrongs.finding(Grade::fault, "on");
}

Finding check_room(InspectedInstallation& installation) {
  const Connections own = connections_of(installation.config());
  return judge_room(
      installation.ask(Role::worker, doctor::sql::get_connection_room)[0].integer("room"),
      static_cast<std::int64_t>(own.standing), static_cast<std::int64_t>(own.most));
}

Finding check_clock(InspectedInstallation& installation) {
  installation.ask(Role::worker,
                   doctor::sql::get_clock);  // prepares it, so that the next takes one round trip
  const Instant before = system_clock().now();
  const Instant there = installation.ask(Role::worker, doctor::sql::get_clock)[0].instant("now");
  const Instant after = system_clock().now();
  return judge_clock(there - (before + (after - before) / 2));
}

Finding check_event_months(InspectedInstallation& installation) {
  const pg::Result months = installation.ask(Role::worker, doctor::sql::list_event_months);
  Wrongs wrongs;
  for (std::size_t i = 0; i < months.size(); ++i) {
    if (months[i].boolean("made")) continue;
    wrongs.add(std::format("{} is missing: no event can be written from {} on",
                           months[i].view("name"), months[i].view("starts")),
               "start the service again: it makes the months ahead before it is ready, and every "
               "hour");
  }
  return wrongs.finding(Grade::fault, "this month and the next have their partitions");
}

Finding check_jobs(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::count_stuck_jobs);
  const pg::Row row = result[0];
  const auto abandoned = row.integer("abandoned");
  const auto waiting = row.integer("waiting");
  if (abandoned == 0 && waiting == 0) return {Grade::ok, "none is stuck", {}};
  // Whoever holds one may simply be at a long one; when nobody does, nobody works.
  const bool nobody_works = abandoned > 0 || row.integer("held") == 0;
  return {nobody_works ? Grade::fault : Grade::warn,
          std::format("{} wait for over 10 minutes, {} were left by a process that died", waiting,
                      abandoned),
          nobody_works ? "start a process that does them: shopbell run, or systemctl restart "
                         "shopbell; its log says `jobs wait` when it cannot"
                       : "start another `shopbell run`: each does two jobs at a time"};
}

Finding check_transactions(InspectedInstallation& installation) {
  struct Old {
    std::string role;
    std::string how;
  };
  std::map<std::int64_t, Old> by_pid;  // each role sees the times of its own alone
  for (const Role role : kRoles) {
    const pg::Result rows = installation.ask(role, doctor::sql::list_old_transactions);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto seconds = rows[i].maybe_integer("seconds");
      by_pid[rows[i].integer("pid")] = {
          rows[i].text("role"),
          seconds ? std::format("open for {} minutes", *seconds / 60)
                  : std::format("{} million transactions back",
                                rows[i].maybe_integer("held_back").value_or(0) / 1'000'000)};
    }
  }
  Wrongs wrongs;
  for (const auto& [pid, old] : by_pid)
    wrongs.add(std::format("one of {}, {}", old.role, old.how),
               std::format("SELECT pg_terminate_backend({})", pid));
  const pg::Result prepared = installation.ask(Role::worker, doctor::sql::list_old_prepared);
  for (std::size_t i = 0; i < prepared.size(); ++i)
    wrongs.add(std::format("one of {}, prepared {} minutes ago", prepared[i].view("role"),
                           prepared[i].integer("seconds") / 60),
               std::format("ROLLBACK PREPARED '{}'", prepared[i].view("gid")));
  if (!wrongs.found.empty()) wrongs.found += ": nothing deleted since can be cleaned up";
  return wrongs.finding(Grade::warn, "none is open for over an hour");
}

Finding check_age(InspectedInstallation& installation) {
  const pg::Result result = installation.ask(Role::worker, doctor::sql::get_oldest_database);
  return judge_age(result[0].text("name"), result[0].integer("age"));
}

Finding check_rights(InspectedInstallation& installation) {
  Wrongs wrongs;
  std::map<std::string, Role> seen;
  for (const Role role : kRoles) {
    const pg::Result result = installation.ask(role, doctor::sql::get_role_rights);
    const pg::Row row = result[0];
    const std::string name = row.text("role");
    const auto [other, is_new] = seen.emplace(name, role);
    if (!is_new) {
      const std::string_view first = name_of(other->second);
      const std::string_view second = name_of(role);
      wrongs.add(std::format("database.{} and database.{} are both {}", first, second, name),
                 std::format("connect database.{} as shopbell_{} and database.{} as shopbell_{}",
                             first, first, second, second));
    }
    if (row.boolean("is_superuser"))
      wrongs.add(std::format("{} is a superuser", name),
                 std::format("ALTER ROLE {} NOSUPERUSER", name));
    if (row.boolean("passes_row_security"))
      wrongs.add(std::format("{} passes row security", name),
                 std::format("ALTER ROLE {} NOBYPASSRLS", name));
    if (row.boolean("acts_as_owner") && !row.boolean("is_superuser"))
      wrongs.add(std::format("{} acts as the owner of tables", name),
                 std::format("REVOKE shopbell_owner FROM {}", name));
  }
  return wrongs.finding(Grade::fault, "no role can do more than it should");
}

Finding check_row_security(InspectedInstallation& installation) {
  const pg::Result tables = installation.ask(Role::worker, doctor::sql::list_open_tables);
  Wrongs wrongs;
  for (std::size_t i = 0; i < tables.size(); ++i)
    wrongs.add(std::format("{} has none", tables[i].view("name")),
               std::format("as shopbell_owner: ALTER TABLE {} ENABLE ROW LEVEL SECURITY",
                           tables[i].view("name")));
  return wrongs.finding(Grade::fault, "on for every table of accounts");
}

// Whether the ring opens what was sealed for the account; nothing when it has nothing sealed.
std::optional<bool> opens_a_secret(InspectedInstallation& installation,
                                   const keyring::Keyring& ring, std::int64_t account) {
  const pg::Result sealed = installation.ask(Role::api, doctor::sql::get_sealed_secret, account);
  if (sealed.empty()) return std::nullopt;
  return ring
      .unseal(sealed[0].bytes("signing_secret"),
              outgoing::secret_context(account, sealed[0].uuid("event_type_id")))
      .has_value();
}

// Nothing in the database names its keyring. What tells is what was made with it.
Finding check_keyring_of_database(InspectedInstallation& installation) {
  const Finding another{
      Grade::fault,
      {},
      "bring back the keyring this database was used with, from its copy; if it is lost for good, "
      "make every store a new key (`shopbell key create`) and revoke the old ones"};
  const auto with = [&](std::string found) {
    return Finding{another.grade, std::move(found), another.mend};
  };
  const auto ring = keyring::Keyring::load(installation.config().keyring);
  const Instant made = ring.describe().back().created;  // of the first key, which stays for ever
  const auto oldest =
      installation.ask(Role::worker, doctor::sql::get_oldest_key)[0].maybe_instant("created_at");
  if (oldest && *oldest + std::chrono::minutes{1} < made) {
    return with(std::format("there are API keys of {}, and the keyring was made at {}",
                            to_rfc3339(*oldest), to_rfc3339(made)));
  }
  const auto accounts = installation.run(
      Role::worker, std::nullopt,
      [](pg::Pool& database, pg::Scope scope) { return store::list_accounts(database, scope); });
  for (std::size_t i = 0; i < std::min(accounts.size(), kAccountsLookedThrough); ++i) {
    const auto opens = opens_a_secret(installation, ring, accounts[i].id);
    if (!opens) continue;
    if (!*opens) return with("it does not open the secrets in this database");
    return {Grade::ok, "it opens the secrets in this database", {}};
  }
  return {Grade::ok, "it is older than every API key; nothing sealed is there to try it on", {}};
}

constexpr std::array kChecks{
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

std::span<const Check> database_checks() { return kChecks; }

}  // namespace shopbell::app
