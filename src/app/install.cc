#include "app/install.h"

#include <array>
#include <format>
#include <print>
#include <stdexcept>

#include "base/random.h"
#include "keyring/keyring.h"
#include "keyring/secret_file.h"
#include "migrations.h"
#include "pg/script.h"

namespace shopbell::app {

namespace {

struct Role {
  std::string name;
  std::string password = random_base62(32);
};

void refuse_existing(pg::Script& admin, const Installation& installation,
                     std::span<const Role> roles) {
  if (admin.query("SELECT 1 WHERE current_setting('server_version_num')::int >= 170000").empty()) {
    throw std::runtime_error{"PostgreSQL 17 or newer is needed"};
  }
  for (const auto* name : {"shopbell.toml", "owner.toml", "keyring"}) {
    const auto file = installation.directory / name;
    if (std::filesystem::exists(file)) {
      throw std::runtime_error{
          std::format("{} exists: this directory holds an installation already", file.string())};
    }
  }
  const std::array<std::string, 1> database{installation.database};
  if (!admin.query("SELECT 1 FROM pg_database WHERE datname = $1", database).empty()) {
    throw std::runtime_error{
        std::format("the database {} exists: name another with --database", installation.database)};
  }
  for (const auto& role : roles) {
    const std::array<std::string, 1> name{role.name};
    if (!admin.query("SELECT 1 FROM pg_roles WHERE rolname = $1", name).empty()) {
      throw std::runtime_error{
          std::format("the role {} exists: this PostgreSQL serves a Shopbell already. Use its "
                      "configuration, or another server",
                      role.name)};
    }
  }
}

void create_roles(pg::Script& admin, std::span<const Role> roles) {
  for (const auto& role : roles) {
    admin.run(
        std::format("CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION "
                    "NOBYPASSRLS PASSWORD {}",
                    admin.quote_name(role.name),
                    admin.quote_text(admin.scram_verifier(role.name, role.password))));
    // What people send must not reach the server's log by way of an error. Only a superuser may set
    // these; on a hosted server the operator does it in its console, as docs/operating.md says.
    for (const auto* setting :
         {"log_error_verbosity = 'terse'", "log_min_error_statement = 'panic'",
          "log_parameter_max_length_on_error = 0", "log_parameter_max_length = 0"}) {
      try {
        admin.run(std::format("ALTER ROLE {} SET {}", admin.quote_name(role.name), setting));
      } catch (const pg::Error& error) {
        std::println(stderr, "warning: {} not set for {}: {}", setting, role.name, error.what());
      }
    }
  }
  admin.run("ALTER ROLE shopbell_reader SET default_transaction_read_only = on");
}

void create_database(pg::Script& admin, const std::string& name, std::span<const Role> roles) {
  const std::string quoted = admin.quote_name(name);
  admin.run("GRANT shopbell_owner TO CURRENT_USER");  // a hosted administrator is no superuser
  admin.run(
      std::format("CREATE DATABASE {} OWNER shopbell_owner TEMPLATE template0 ENCODING 'UTF8' "
                  "LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'",
                  quoted));
  admin.run(std::format("REVOKE ALL ON DATABASE {} FROM PUBLIC", quoted));
  for (const auto& role : roles) {
    admin.run(
        std::format("GRANT CONNECT ON DATABASE {} TO {}", quoted, admin.quote_name(role.name)));
  }
  admin.run("REVOKE shopbell_owner FROM CURRENT_USER");
}

std::string config_text(const Installation& installation, std::span<const std::string> urls) {
  return std::format(
      R"(# Shopbell's configuration. SHOPBELL_HTTP_LISTEN=… in the environment beats http.listen here, and so on.
[http]
listen = "{}"

[private]  # health, readiness and metrics: for the operator, not for the world
listen = "{}"

[database]
api = "{}"
worker = "{}"
reader = "{}"

[keyring]
file = "keyring"

[storage]  # files of exports; processes of one installation share it
directory = "files"
)",
      installation.listen, installation.private_listen, urls[0], urls[1], urls[2]);
}

}  // namespace

void init(const Installation& installation) {
  const std::array<Role, 4> roles{Role{"shopbell_api"}, Role{"shopbell_worker"},
                                  Role{"shopbell_reader"}, Role{"shopbell_owner"}};
  std::array<std::string, 4> urls;
  std::filesystem::create_directories(installation.directory);
  {
    pg::Script admin{installation.admin_url};
    refuse_existing(admin, installation, roles);
    create_roles(admin, roles);
    create_database(admin, installation.database, roles);
    for (std::size_t i = 0; i < roles.size(); ++i) {
      urls[i] = admin.url_for(roles[i].name, roles[i].password, installation.database);
    }
  }
  keyring::write_secret_file(installation.directory / "shopbell.toml",
                             config_text(installation, urls));
  keyring::write_secret_file(
      installation.directory / "owner.toml",
      std::format("# For `shopbell migrate` alone: keep it away from the running service.\n"
                  "[database]\nowner = \"{}\"\n",
                  urls[3]));
  keyring::Keyring::create(installation.directory / "keyring", system_clock().now());
  std::println("made the roles, the database {} and, in {}, shopbell.toml, owner.toml and keyring",
               installation.database,
               std::filesystem::absolute(installation.directory).lexically_normal().string());
  migrate(urls[3]);
}

void migrate(const std::string& owner_url) {
  pg::Script owner{owner_url};
  const int count = pg::migrate(owner, kMigrations,
                                [](std::string_view name) { std::println("applied {}", name); });
  if (count == 0) std::println("the schema is up to date");
}

int schema_version() { return static_cast<int>(std::size(kMigrations)); }

}  // namespace shopbell::app
