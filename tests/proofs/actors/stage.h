// Stage: an installation with one or more running processes, and what a proof may do on it beside
// asking: make accounts and keys, and act as the administrator of the database.
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
  std::string key;  // with every scope
};

struct AccountPair {
  Account live;
  Account test;
};

// Safe to be used by several threads.
class Stage {
 public:
  // With one process.
  explicit Stage(const Setting& setting);
  void start_process();

  const Door& door(std::size_t process = 0) const { return doors_[process]; }
  testing::Process& process(std::size_t index) { return *services_[index].process; }
  std::size_t processes() const { return services_.size(); }
  std::string log(std::size_t process) const;
  // Of all processes; and what they may have.
  std::size_t connections_to_database();
  std::size_t connections_at_most() const { return processes() * connections_.most; }
  const testing::Installation& installation() const { return installation_; }

  // Their rate limits are out of the way.
  AccountPair create_accounts(const std::string& name);
  std::string create_key(std::int64_t account, std::vector<std::string> scopes,
                         std::optional<Instant> expires_at = {});
  void rename(std::int64_t account, const std::string& name);
  // An event of the type that was queued and could not be written, of somebody who is called
  // `name`; its id. What was in its way is gone: when it is retried, it is written.
  std::string reject_event(std::int64_t account, const std::string& type, const std::string& name);
  // Nothing is sent any more and what was being sent has its outcome, so that nothing changes by
  // itself.
  void bring_webhooks_to_rest();
  // From the moment it returns the key is revoked in the database.
  void revoke_keys_of(std::int64_t account);

 private:
  void lift_rates(const std::vector<std::int64_t>& accounts);

  testing::Installation installation_;
  std::vector<testing::Installation::Service> services_;
  std::vector<Door> doors_;
  std::filesystem::path directory_;
  app::Connections connections_{};  // of one process
  std::mutex mutex_;                // of all below
  std::optional<keyring::Keyring> keyring_;
  std::optional<pg::Script> administrator_;
  boost::asio::io_context loop_;
  observe::Metrics metrics_;
  pg::Health health_;
  std::unique_ptr<pg::Pool> operator_;
};

}  // namespace shopbell::proofs
