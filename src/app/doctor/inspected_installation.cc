#include "app/doctor/inspected_installation.h"

#include <algorithm>
#include <format>

#include "base/limits.h"

namespace shopbell::app {

namespace {

constexpr auto kQuestion = std::chrono::seconds{3};       // for one answer of the database
constexpr auto kAllQuestions = std::chrono::seconds{15};  // for all of them

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
  } catch (const std::exception& error) {  // of the file, or of the file system
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
  // A little longer than one attempt, so that its end is heard.
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
  // A server that accepts and then says nothing must not hold every check.
  give_up_at_ = pg::Steady::now() + kAllQuestions;
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
  return {.account = account, .deadline = std::min(give_up_at_, pg::Steady::now() + kQuestion)};
}

void InspectedInstallation::not_checked(const pg::Error& error) {
  // Only a refusal is in the server's own words; the others may hold a connection string.
  throw NotChecked{error.kind() == pg::Error::Kind::refused ? error.what()
                                                            : "PostgreSQL did not answer in time"};
}

pg::Result InspectedInstallation::ask(Role role, const pg::Query& query,
                                      std::optional<std::int64_t> account) {
  return run(role, account, [&query](pg::Pool& database, pg::Scope scope) {
    return database.query(scope, query);
  });
}

}  // namespace shopbell::app
