#include "app/install/install.h"

#include <algorithm>
#include <array>
#include <format>
#include <optional>
#include <print>
#include <stdexcept>
#include <string_view>

#include "app/config/config.h"
#include "app/config/schema.h"
#include "app/install/administrator.h"
#include "app/install/first_store.h"
#include "base/random.h"
#include "keyring/keyring.h"
#include "keyring/secret_file.h"
#include "pg/script.h"

namespace shopbell::app {

namespace {

constexpr std::array<std::string_view, 3> kFiles{"shopbell.toml", "owner.toml", "keyring"};
// `init` creates the owner last: if the owner can connect, the other roles exist too.
constexpr std::array kRoles{"shopbell_api", "shopbell_worker", "shopbell_reader", "shopbell_owner"};

// The connection string of each role, in the order of kRoles.
using Urls = std::array<std::string, kRoles.size()>;
const std::string& owner_of(const Urls& urls) { return urls.back(); }

std::string full_name(const std::filesystem::path& directory) {
  auto name = std::filesystem::absolute(directory).lexically_normal();
  return (name.has_filename() ? name : name.parent_path()).string();
}

// Returns true if all files of an installation exist, and false if none does. Throws if only some
// exist, except for a lone keyring, which a purged package leaves behind.
bool has_installation(const std::filesystem::path& directory) {
  const auto exists = [&](std::string_view name) {
    return std::filesystem::exists(directory / name);
  };
  const auto existing = std::ranges::find_if(kFiles, exists);
  const auto missing = std::ranges::find_if_not(kFiles, exists);
  if (missing == kFiles.end()) return true;
  if (existing == kFiles.end() || *existing == kFiles.back()) return false;
  throw std::runtime_error{
      std::format("{} has {} but not {}: restore the missing file, or name another --directory",
                  full_name(directory), *existing, *missing)};
}

// Ignores the environment: its variables configure a process, not the installation.
Config read_config(const std::filesystem::path& directory) {
  return load_config(directory / "shopbell.toml",
                     [](const std::string&) { return std::optional<std::string>{}; });
}

Urls read_files(const std::filesystem::path& directory) {
  const Config config = read_config(directory);
  return {config.database_api, config.database_worker, config.database_reader,
          load_owner(directory / "owner.toml")};
}

bool role_exists(pg::Script& admin, const std::string& name) {
  const std::array<std::string, 1> role{name};
  return !admin.query("SELECT 1 FROM pg_roles WHERE rolname = $1", role).empty();
}

bool database_exists(pg::Script& admin, const std::string& name) {
  const std::array<std::string, 1> database{name};
  return !admin.query("SELECT 1 FROM pg_database WHERE datname = $1", database).empty();
}

void require_version(pg::Script& admin) {
  if (admin.query("SELECT 1 WHERE current_setting('server_version_num')::int >= 170000").empty())
    throw std::runtime_error{"PostgreSQL 17 or newer is required"};
}

// Throws if the server already has a part of an installation. Call this before writing any file.
void require_room(pg::Script& admin, const std::string& database) {
  if (database_exists(admin, database)) {
    throw std::runtime_error{
        std::format("the database {} already exists: name another with --database", database)};
  }
  for (const std::string role : kRoles) {
    if (!role_exists(admin, role)) continue;
    throw std::runtime_error{
        std::format("the role {} already exists: this PostgreSQL server has a Shopbell "
                    "installation. Use its configuration, or another server",
                    role)};
  }
}

void create_role(pg::Script& admin, const std::string& name, const std::string& password) {
  admin.run(
      std::format("CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION "
                  "NOBYPASSRLS PASSWORD {}",
                  admin.quote_name(name), admin.quote_text(admin.scram_verifier(name, password))));
}

// Keeps request data out of the server's log when a statement fails. Only a superuser may change
// these settings. On a hosted server the operator sets them in its console: see docs/run.md.
void keep_out_of_logs(pg::Script& admin, const std::string& role) {
  for (const auto* setting :
       {"log_error_verbosity = 'terse'", "log_min_error_statement = 'panic'",
        "log_parameter_max_length_on_error = 0", "log_parameter_max_length = 0"}) {
    try {
      admin.run(std::format("ALTER ROLE {} SET {}", admin.quote_name(role), setting));
    } catch (const pg::Error& error) {
      std::println(stderr, "warning: {} not set for {}: {}", setting, role, error.what());
    }
  }
}

// Creates the roles and the database that the connection strings name and the server lacks.
void make_missing(pg::Script& admin, const Urls& urls) {
  for (std::size_t i = 0; i < urls.size(); ++i) {
    const std::string role = kRoles[i];
    const pg::Login login = pg::read_login(urls[i]);
    if (login.user != role)  // the service's user may own the file, so it must not name other roles
      throw std::runtime_error{std::format("a connection string does not name the role {}", role)};
    if (!role_exists(admin, role)) create_role(admin, role, login.password);
    keep_out_of_logs(admin, role);
  }
  admin.run("ALTER ROLE shopbell_reader SET default_transaction_read_only = on");
  const std::string database = pg::read_login(owner_of(urls)).database;
  if (database_exists(admin, database)) return;
  admin.run("GRANT shopbell_owner TO CURRENT_USER");  // hosted administrators are no superusers
  admin.run(
      std::format("CREATE DATABASE {} OWNER shopbell_owner TEMPLATE template0 ENCODING 'UTF8' "
                  "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'",
                  admin.quote_name(database)));
  admin.run("REVOKE shopbell_owner FROM CURRENT_USER");
}

// Lets only the four roles connect. Every init repeats this, because an earlier init may have
// stopped after creating the database.
void close_database(const std::string& owner_url) {
  pg::Script owner{owner_url};
  const std::string database = owner.quote_name(pg::read_login(owner_url).database);
  owner.run(std::format("REVOKE ALL ON DATABASE {} FROM PUBLIC", database));
  for (const std::string role : kRoles)
    owner.run(std::format("GRANT CONNECT ON DATABASE {} TO {}", database, owner.quote_name(role)));
}

std::string config_text(const Installation& installation, const Urls& urls) {
  const std::string storage =
      is_packaged(installation.directory) ? packaged_storage().string() : "files";
  return std::format(
      R"(# Shopbell's configuration. Environment variables such as SHOPBELL_HTTP_LISTEN override settings such as http.listen.
# `shopbell config` prints all settings.
[http]
listen = "{}"

[private]  # health, readiness and metrics; keep it off the internet
listen = "{}"

[database]
api = "{}"
worker = "{}"
reader = "{}"

[keyring]
file = "keyring"

[storage]  # files of imports and exports; shared by all processes of the installation
directory = "{}"
)",
      installation.listen, installation.private_listen, urls[0], urls[1], urls[2], storage);
}

// Call this before changing the server: a password that the files lack would be lost.
void write_files(const Installation& installation, const Urls& urls) {
  const auto& directory = installation.directory;
  if (std::filesystem::exists(directory / "keyring")) {
    std::println("using the existing keyring in {}", full_name(directory));
  } else {
    keyring::Keyring::create(directory / "keyring", system_clock().now());
  }
  keyring::write_secret_file(
      directory / "owner.toml",
      std::format("# Only for `shopbell migrate`. The running service should not be able to read "
                  "it.\n[database]\nowner = \"{}\"\n",
                  owner_of(urls)));
  keyring::write_secret_file(directory / "shopbell.toml", config_text(installation, urls));
  if (!is_packaged(directory)) return;
  give_to_service(directory / "keyring");
  give_to_service(directory / "shopbell.toml");
}

Urls make_files(const Installation& installation, const Administrator& admin) {
  Urls urls;
  for (std::size_t i = 0; i < urls.size(); ++i)
    urls[i] = admin.url_for(kRoles[i], random_base62(32), installation.database);
  write_files(installation, urls);
  return urls;
}

bool owner_can_connect(const Urls& urls) {
  try {
    const pg::Script owner{owner_of(urls)};
    return true;
  } catch (const pg::Error&) {
    return false;
  }
}

// Completes an installation whose files exist while a role or the database is missing.
void finish_roles(const Installation& installation, const Urls& urls) {
  const Administrator admin = connect_administrator(installation.admin_url);
  require_version(*admin.server);
  const pg::Login meant = pg::read_login(owner_of(urls));
  const pg::Login given = pg::read_login(admin.url_for(meant.user, meant.password, meant.database));
  if (meant.host != given.host || meant.port != given.port) {
    throw std::runtime_error{std::format(
        "the files in {} are for the server {}:{}, but the administrator's connection string is "
        "for {}:{}: use the same server, or another --directory",
        full_name(installation.directory), meant.host, meant.port, given.host, given.port)};
  }
  make_missing(*admin.server, urls);
}

void print_next_steps(const std::filesystem::path& directory, const Address& listen,
                      const std::string& key) {
  const std::string start =
      is_packaged(directory)
          ? "systemctl start shopbell"
          : std::format("shopbell --config {}/shopbell.toml run &", full_name(directory));
  const std::string contact =
      std::format("http://{}:{}/contacts/email/eva@example.com", listen.host, listen.port);
  std::println(
      R"(
The key is shown only once: Shopbell stores only a hash of it. Next, start the service, create a contact, and read it:
  {0}
  curl -X PATCH '{1}?createContact=true' -H 'Authorization: Bearer {2}' -H 'Content-Type: application/json' -d '{{"firstName":"Eva"}}'
  curl {1} -H 'Authorization: Bearer {2}')",
      start, contact, key);
}

}  // namespace

void init(const Installation& installation) {
  if (const auto fault = store::fault_of(installation.store); !fault.empty())
    throw std::runtime_error{fault};
  std::filesystem::create_directories(installation.directory);
  const std::string directory = full_name(installation.directory);
  Urls urls;
  bool created = true;
  if (has_installation(installation.directory)) {
    urls = read_files(installation.directory);
    std::println("already exists: shopbell.toml, owner.toml and keyring in {}", directory);
    if (owner_can_connect(urls)) {
      created = false;
      std::println("already exists: the roles and the database {}",
                   pg::read_login(owner_of(urls)).database);
    } else {
      finish_roles(installation, urls);
      std::println("created the missing roles or database");
    }
  } else {
    const Administrator admin = connect_administrator(installation.admin_url);
    require_version(*admin.server);
    require_room(*admin.server, installation.database);
    urls = make_files(installation, admin);
    make_missing(*admin.server, urls);
    std::println(
        "created the roles, the database {} and, in {}, shopbell.toml, owner.toml and keyring",
        installation.database, directory);
  }
  close_database(owner_of(urls));
  migrate(owner_of(urls));
  if (created) {
    pg::Script owner{owner_of(urls)};
    record_command(owner, "init", "installation");
  }
  if (installation.without_store) return;
  const Config config = read_config(installation.directory);
  if (const auto key = make_first_store(config, installation.store))
    print_next_steps(installation.directory, config.listen, *key);
}

}  // namespace shopbell::app
