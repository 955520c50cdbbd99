// InspectedInstallation: the installation that the doctor checks: its configuration, and a session
// for each role, opened on first use. All waits have short timeouts, so that checks of a dead
// server end too.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <boost/asio/io_context.hpp>

#include "app/config/config.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "runtime/wait.h"

namespace shopbell::app {

// Thrown by a check that cannot run, with the reason.
class NotChecked : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Role { api, worker, reader };
inline constexpr std::array kRoles{Role::api, Role::worker, Role::reader};
std::string_view name_of(Role role);  // the role's name in the configuration

class InspectedInstallation {
 public:
  explicit InspectedInstallation(std::filesystem::path config_file);
  ~InspectedInstallation();
  InspectedInstallation(const InspectedInstallation&) = delete;
  InspectedInstallation& operator=(const InspectedInstallation&) = delete;

  const std::filesystem::path& config_file() const { return config_file_; }
  // The reason why the configuration cannot be read; empty if it can be read.
  const std::string& config_trouble() const { return config_trouble_; }
  const Config& config() const;  // throws NotChecked without a configuration

  // libpq's reason why the role cannot connect; empty if it can. Throws NotChecked without a
  // configuration.
  std::string connection_trouble_of(Role role);

  // Throws NotChecked if the query fails.
  pg::Result ask(Role role, const pg::Query& query, std::optional<std::int64_t> account = {});
  template <class Work>  // `work(database, scope)` returns an awaitable
  auto run(Role role, std::optional<std::int64_t> account, Work work);

 private:
  struct Session {
    explicit Session(boost::asio::io_context& loop, observe::Metrics& metrics,
                     const std::string& url)
        : database{loop, {.url = url}, metrics, health} {}
    pg::Health health;
    pg::Pool database;
    std::string trouble;
  };

  void connect();
  pg::Pool& database_of(Role role);
  pg::Scope scope_of(std::optional<std::int64_t> account) const;
  [[noreturn]] static void not_checked(const pg::Error& error);

  const std::filesystem::path config_file_;
  std::optional<Config> config_;
  std::string config_trouble_;
  boost::asio::io_context loop_;
  observe::Metrics metrics_;
  pg::Steady::time_point give_up_at_;
  std::array<std::unique_ptr<Session>, kRoles.size()> sessions_;
};

template <class Work>
auto InspectedInstallation::run(Role role, std::optional<std::int64_t> account, Work work) {
  pg::Pool& database = database_of(role);
  try {
    return runtime::run_to_end(loop_, work(database, scope_of(account)));
  } catch (const pg::Error& error) {
    not_checked(error);
  }
}

}  // namespace shopbell::app
