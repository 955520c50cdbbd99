#include "app/doctor/inspected_installation.h"

#include <algorithm>
#include <format>

#include "base/limits.h"

namespace shopbell::app {

namespace {

constexpr auto kQueryDeadline = std::chrono::seconds{3};        // timeout of one query
constexpr auto kAllQueriesDeadline = std::chrono::seconds{15};  // shared by all queries

const std::string& url_of(const Config& config, Role role) {
  switch (role) {
    case Role::api:
      return config.database_api;
    case Role::worker:
      return config.database_worker;
    case Role::reader:
      break;
  }
  return config.database_reader;
}

}  // namespace

std::string_view name_of(Role role) {
  constexpr std::array<std::string_view, kRoles.size()> kNames{"api", "worker", "reader"};
  return kNames[static_cast<std::size_t>(role)];
}

InspectedInstallation::InspectedInstallation(std::filesystem::path config_file)
    : config_file_{std::move(config_file)} {
  try {
    config_ = load_config(config_file_, process_environment());
  } catch (const std::exception& error) {  // errors of the file or the file system
    config_trouble_ = error.what();
  }
}

InspectedInstallation::~InspectedInstallation() = default;

const Config& InspectedInstallation::config() const {
  if (!config_) throw NotChecked{"the configuration cannot be read"};
  return *config_;
}

void InspectedInstallation::connect() {
  if (sessions_.front()) return;
  const Config& known = config();
  for (const Role role : kRoles) {
    sessions_[static_cast<std::size_t>(role)] =
        std::make_unique<Session>(loop_, metrics_, url_of(known, role));
  }
  // Wait slightly longer than one connection attempt takes, to get its error.
  const auto deadline =
      pg::Steady::now() + limits::kConnectTimeout + std::chrono::milliseconds{500};
  for (auto& session : sessions_) {
    try {
      runtime::run_to_end(loop_, session->database.wait_connected(deadline));
    } catch (const pg::Error& error) {
      session->trouble = error.what();
      if (session->trouble.empty()) session->trouble = "connecting took too long";
    }
  }
  // One deadline for all queries: the server may accept connections and never respond.
  give_up_at_ = pg::Steady::now() + kAllQueriesDeadline;
}

std::string InspectedInstallation::connection_trouble_of(Role role) {
  connect();
  return sessions_[static_cast<std::size_t>(role)]->trouble;
}

pg::Pool& InspectedInstallation::database_of(Role role) {
  connect();
  Session& session = *sessions_[static_cast<std::size_t>(role)];
  if (!session.trouble.empty()) {
    throw NotChecked{std::format("database.{} cannot connect", name_of(role))};
  }
  return session.database;
}

pg::Scope InspectedInstallation::scope_of(std::optional<std::int64_t> account) const {
  return {.account = account,
          .deadline = std::min(give_up_at_, pg::Steady::now() + kQueryDeadline)};
}

void InspectedInstallation::not_checked(const pg::Error& error) {
  // Show the text of server refusals only: other errors may contain a connection string.
  throw NotChecked{error.kind() == pg::Error::Kind::refused ? error.what()
                                                            : "PostgreSQL did not respond in time"};
}

pg::Result InspectedInstallation::ask(Role role, const pg::Query& query,
                                      std::optional<std::int64_t> account) {
  return run(role, account, [&query](pg::Pool& database, pg::Scope scope) {
    return database.query(scope, query);
  });
}

}  // namespace shopbell::app
