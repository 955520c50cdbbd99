#include "tests/proofs/actors/stage.h"

#include <format>
#include <stdexcept>
#include <thread>

#include "app/config/config.h"
#include "observe/log.h"
#include "resources/all.h"
#include "resources/keys/key_store.h"
#include "resources/store/accounts.h"
#include "runtime/wait.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;

// Returns the directory of a running service, whose command line names the configuration file.
std::filesystem::path directory_of(const testing::Process& process) {
  const std::string command = testing::read_file(std::format("/proc/{}/cmdline", process.id()));
  const auto from = command.find("--config");
  if (from == std::string::npos) throw std::runtime_error{"not a service: " + command};
  return std::filesystem::path{command.c_str() + from + 9}.parent_path().parent_path();
}

// Returns the administrator's URL for the service's own database.
std::string administrator_url(const std::filesystem::path& directory) {
  const std::string text = testing::read_file(directory / "services/env");
  constexpr std::string_view kName = "SHOPBELL_ADMIN='";
  const auto from = text.find(kName);
  if (from == std::string::npos) throw std::runtime_error{"SHOPBELL_ADMIN is missing in: " + text};
  std::string url = text.substr(from + kName.size());
  url = url.substr(0, url.find('\''));
  return url.replace(url.rfind('/') + 1, std::string::npos, "shopbell");
}

}  // namespace

Stage::Stage(const Setting& setting) : installation_{setting.checkout, setting.binary} {
  start_process();
  directory_ = directory_of(*services_.front().process);
  const app::Config config = app::load_config(directory_ / "home/shopbell.toml",
                                              [](const std::string&) { return std::nullopt; });
  observe::start_logs(observe::Level::warn);  // standard output is reserved for the proof's result
  connections_ = app::connections_of(config);
  keyring_ = keyring::Keyring::load(config.keyring);
  administrator_.emplace(administrator_url(directory_));
  operator_ = std::make_unique<pg::Pool>(loop_, pg::Pool::Settings{.url = config.database_worker},
                                         metrics_, health_);
  runtime::run_to_end(loop_, operator_->wait_connected(pg::Steady::now() + 10s));
}

void Stage::start_process() {
  services_.push_back(installation_.start_service());
  host_ports_.push_back({services_.back().host, services_.back().port});
}

std::string Stage::log(std::size_t process) const {
  return testing::read_file(directory_ / std::format("service-{}.log", process + 1));
}

std::size_t Stage::connections_to_database() {
  const std::scoped_lock lock{mutex_};
  const pg::Result all = administrator_->query(
      "SELECT count(*) AS count FROM pg_stat_activity "
      "WHERE usename IN ('shopbell_api', 'shopbell_worker', 'shopbell_reader') "
      "AND backend_type = 'client backend'");
  // Do not count the stage's own connection.
  return static_cast<std::size_t>(all[0].integer("count")) - 1;
}

AccountPair Stage::create_accounts(const std::string& name) {
  AccountPair pair;
  {
    const std::scoped_lock lock{mutex_};
    const store::CreatedAccount created = runtime::run_to_end(
        loop_, store::create_account(*operator_, {.deadline = pg::Steady::now() + 10s},
                                     {.name = name, .currency = "EUR"}, system_clock().now()));
    pair.live.id = created.live;
    pair.test.id = created.test;
    lift_rates({created.live, created.test});
  }
  for (Account* account : {&pair.live, &pair.test})
    account->key = create_key(account->id, resources::all_scopes());
  return pair;
}

void Stage::lift_rates(const std::vector<std::int64_t>& accounts) {
  for (const std::int64_t account : accounts)
    administrator_->run(
        std::format("UPDATE account SET requests_per_second = 1000000, request_burst = 1000000 "
                    "WHERE account_id = {}",
                    account));
}

std::string Stage::create_key(std::int64_t account, std::vector<std::string> scopes,
                              std::optional<Instant> expires_at) {
  const std::scoped_lock lock{mutex_};
  const auto token = runtime::run_to_end(
      loop_, keys::create_key(*operator_, {.deadline = pg::Steady::now() + 10s}, *keyring_,
                              {.account = account,
                               .name = "proof",
                               .scopes = std::move(scopes),
                               .expires_at = expires_at},
                              system_clock().now()));
  if (!token) throw std::runtime_error{"the account for the key does not exist"};
  return token->text;
}

void Stage::rename(std::int64_t account, const std::string& name) {
  const std::scoped_lock lock{mutex_};
  administrator_->run(std::format("UPDATE account SET name = {} WHERE account_id = {}",
                                  administrator_->quote_text(name), account));
}

std::string Stage::reject_event(std::int64_t account, const std::string& type,
                                const std::string& name) {
  const std::scoped_lock lock{mutex_};
  const Uuid id = Uuid::v7(system_clock().now());
  const std::string message =
      std::format(R"({{"format":1,"account":{},"id":"{}","receivedAt":"{}","type":"{}",)"
                  R"("parameters":{{"createContact":"true"}},"lenient":false,)"
                  R"("body":{{"contact":{{"email":"{}@example.com"}}}}}})",
                  account, id.to_string(), to_rfc3339(system_clock().now()), type, name);
  administrator_->run(std::format(
      "INSERT INTO rejected_event (account_id, id, event_type_id, received_at, code, problem, "
      "message, identifiers) VALUES ({}, '{}', '{}', now(), 'contact-not-found', "
      "'{{\"title\":\"There is no such contact\"}}', {}, '{{}}')",
      account, id.to_string(), type, administrator_->quote_text(message)));
  return id.to_string();
}

void Stage::pause_webhooks() {
  const std::scoped_lock lock{mutex_};
  administrator_->run("UPDATE webhook SET state = 'paused', reason = 'requested'");
  const auto until = pg::Steady::now() + 60s;  // resolving an unknown name takes 10 s
  const auto at_rest = [&] {
    return administrator_
        ->query(
            "SELECT (SELECT last_id FROM log_tick ORDER BY tick DESC LIMIT 1) >= (SELECT max(id) "
            "FROM event) "
            "AND (SELECT min(tick) FROM log_position WHERE reader = 'webhooks') = (SELECT "
            "max(tick) FROM log_tick) "
            "AND NOT EXISTS (SELECT FROM webhook_delivery WHERE sender IS NOT NULL) AS rest")[0]
        .boolean("rest");
  };
  while (!at_rest()) {
    if (pg::Steady::now() > until)
      throw std::runtime_error{"webhook deliveries are still in flight after a minute"};
    std::this_thread::sleep_for(50ms);
  }
}

void Stage::revoke_keys_of(std::int64_t account) {
  const std::scoped_lock lock{mutex_};
  administrator_->run(
      std::format("UPDATE api_key SET revoked_at = now() WHERE account_id = {}", account));
}

}  // namespace shopbell::proofs
