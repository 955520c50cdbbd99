#include "tests/proofs/actors/backup_site.h"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>

#include "app/config/config.h"

namespace shopbell::proofs {

namespace {

// The shell function `as_postgres` runs a command as PostgreSQL's own user, as an operator does.
constexpr std::string_view kPrelude = R"sh(
checkout=$1 first=$2 site=$3 admin=$4
shift 4
export SHOPBELL_ADMIN=$admin
services=$checkout/tools/services
as_postgres() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi
}
port_of() { sed 's|.*:\([0-9]*\)/.*|\1|' <<<"$1"; }
make_home() { # make_home NAME FILES PORT: unpacks the files and sets the server's port in them
  mkdir "$site/$1-home"
  tar -xzf "$2" -C "$site/$1-home"
  sed -i "s|127\.0\.0\.1:$(port_of "$admin")/|127.0.0.1:$3/|" "$site/$1-home/shopbell.toml"
}
)sh";

constexpr std::string_view kSetUp = R"sh(
mkdir "$site" "$site/bin" "$site/wal" "$site/base" "$site/kept"
chmod 711 "$site"
cp "$checkout"/deploy/backup/* "$site/bin/"
[ "$(id -u)" != 0 ] || chown postgres: "$site/wal" "$site/base"
as_postgres tee -a "$first/services/pg/postgresql.conf" >/dev/null <<SETTINGS
archive_mode = on
archive_command = '$site/bin/archive-wal %p %f $site/wal'
SETTINGS
"$services" halt "$first/services"
"$services" resume "$first/services"
)sh";

constexpr std::string_view kLoad = R"sh(
name=$1 dump=$2 files=$3
"$services" start "$site/$name"
. "$site/$name/env"
"$site/bin/restore" "$dump" >/dev/null
make_home "$name" "$files" "$(port_of "$SHOPBELL_ADMIN")"
echo "$SHOPBELL_ADMIN"
)sh";

constexpr std::string_view kRecover = R"sh(
name=$1 base=$2 files=$3 time=$4
port=$(node -e 'const s=require("net").createServer();s.listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
mkdir "$site/$name"
chmod 755 "$site/$name"
[ "$(id -u)" != 0 ] || chown postgres: "$site/$name"
as_postgres "$site/bin/recover" "$base" "$site/wal" "$site/$name/pg" "$time"
printf "port = %s\nunix_socket_directories = '%s'\n" "$port" "$site/$name" |
  as_postgres tee -a "$site/$name/pg/postgresql.auto.conf" >/dev/null
sed "s/$(port_of "$admin")/$port/; s|$first/services|$site/$name|" "$first/services/env" >"$site/$name/env"
"$services" resume "$site/$name"
. "$site/$name/env"
tries=0
until [ "$(psql -XAtq "$SHOPBELL_PG" -c 'SELECT pg_is_in_recovery()')" = f ]; do
  tries=$((tries + 1))
  [ $tries -lt 600 ] || { echo "$name is still in recovery after a minute" >&2; exit 1; }
  sleep 0.1
done
make_home "$name" "$files" "$port"
echo "$SHOPBELL_ADMIN"
)sh";

// Returns the URL of another database on the same server, for the same user.
std::string in_database(const std::string& url, std::string_view database) {
  return url.substr(0, url.rfind('/') + 1) + std::string{database};
}

}  // namespace

BackupSite::BackupSite(const Setting& setting, const testing::Installation& installation)
    : checkout_{setting.checkout},
      installation_{installation.config_file().parent_path().parent_path()},
      site_{installation_ / "site"},
      admin_{in_database(installation.admin_url(), "postgres")} {
  shell(kSetUp);
}

BackupSite::~BackupSite() {
  for (const auto& name : servers_) {
    try {
      shell(R"sh("$services" stop "$site/$1")sh", {name});
    } catch (const std::exception&) {  // a failed cleanup must not hide the verdict
    }
  }
}

std::string BackupSite::shell(std::string_view script,
                              const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{"bash", "-euo",    "pipefail",    "-c",  "",
                                   "site", checkout_, installation_, site_, admin_};
  command[4] = std::string{kPrelude} + std::string{script};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::string said = testing::run(command);
  said.erase(said.find_last_not_of('\n') + 1);
  return said;
}

std::filesystem::path BackupSite::base_backup() const {
  return shell(R"sh(as_postgres "$site/bin/base-backup" "$site/base")sh");
}

std::filesystem::path BackupSite::dump() const {
  return shell(R"sh("$site/bin/dump" "$site/kept")sh");
}

std::filesystem::path BackupSite::keep_files() const {
  return shell(R"sh("$site/bin/keep-files" "$first/home" "$site/kept")sh");
}

void BackupSite::await_wal(pg::Script& database) const {
  const std::string last =
      database.query("SELECT pg_walfile_name(pg_switch_wal()) AS name")[0].text("name");
  for (int i = 0; i < 600; ++i) {
    if (std::filesystem::exists(site_ / "wal" / last)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  throw std::runtime_error{"the WAL was not archived within a minute"};
}

BackupSite::Server BackupSite::load(const std::string& name, const std::filesystem::path& dumped,
                                    const std::filesystem::path& files) {
  servers_.push_back(name);
  return server_of(name, shell(kLoad, {name, dumped, files}));
}

BackupSite::Server BackupSite::recover(const std::string& name, const std::filesystem::path& base,
                                       const std::filesystem::path& files,
                                       const std::string& time) {
  servers_.push_back(name);
  return server_of(name, shell(kRecover, {name, base, files, time}));
}

BackupSite::Server BackupSite::server_of(const std::string& name, const std::string& admin) const {
  const app::Config config = app::load_config(site_ / (name + "-home") / "shopbell.toml",
                                              [](const std::string&) { return std::nullopt; });
  return {.admin_url = in_database(admin, "shopbell"),
          .environment = {{"SHOPBELL_DATABASE_API", config.database_api},
                          {"SHOPBELL_DATABASE_WORKER", config.database_worker},
                          {"SHOPBELL_DATABASE_READER", config.database_reader},
                          {"SHOPBELL_KEYRING_FILE", config.keyring.string()},
                          {"SHOPBELL_STORAGE_DIRECTORY", config.storage_directory.string()}}};
}

}  // namespace shopbell::proofs
