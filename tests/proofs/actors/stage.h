// Stage: an installation with one or more processes. A proof can also create accounts and keys and
// act as the database administrator.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "app/config/connections.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "pg/script.h"
#include "testing/installation.h"
#include "tests/proofs/actors/proof.h"
#include "tests/proofs/actors/raw_client.h"

namespace shopbell::proofs {

struct Account {
  std::int64_t id = 0;
  std::string key;  // an API key with every scope
};

struct AccountPair {
  Account live;
  Account test;
};

// An installation under test. Thread-safe.
class Stage {
 public:
  // Starts one process.
  explicit Stage(const Setting& setting);
  void start_process();

  const HostPort& host_port(std::size_t process = 0) const { return host_ports_[process]; }
  testing::Process& process(std::size_t index) { return *services_[index].process; }
  std::size_t processes() const { return services_.size(); }
  std::string log(std::size_t process) const;
  // Returns the number of connections of all processes to PostgreSQL, and the configured maximum.
  std::size_t connections_to_database();
  std::size_t connections_at_most() const { return processes() * connections_.most; }
  const testing::Installation& installation() const { return installation_; }
  testing::Installation& installation() { return installation_; }
  // The directory that holds all files of the installation.
  const std::filesystem::path& directory() const { return directory_; }

  // Creates two accounts, with rate limits so high that no request is throttled.
  AccountPair create_accounts(const std::string& name);
  std::string create_key(std::int64_t account, std::vector<std::string> scopes,
                         std::optional<Instant> expires_at = {});
  void rename(std::int64_t account, const std::string& name);
  // Inserts a rejected event of that type for a contact called `name`, and returns its id. The
  // cause of the rejection no longer exists, so a retry succeeds.
  std::string reject_event(std::int64_t account, const std::string& type, const std::string& name);
  // Pauses all webhooks and waits for deliveries in flight, so that no object changes by itself.
  void pause_webhooks();
  // Revokes the keys of the account; on return the database has revoked them.
  void revoke_keys_of(std::int64_t account);

 private:
  void lift_rates(const std::vector<std::int64_t>& accounts);

  testing::Installation installation_;
  std::vector<testing::Installation::Service> services_;
  std::vector<HostPort> host_ports_;
  std::filesystem::path directory_;
  app::Connections connections_{};  // configured connections of one process
  std::mutex mutex_;                // guards all members below
  std::optional<keyring::Keyring> keyring_;
  std::optional<pg::Script> administrator_;
  boost::asio::io_context loop_;
  observe::Metrics metrics_;
  pg::Health health_;
  std::unique_ptr<pg::Pool> operator_;
};

}  // namespace shopbell::proofs
