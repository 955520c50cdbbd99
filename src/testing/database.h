// TestDatabase: a fresh, migrated database for one test, on the server in the directory
// SHOPBELL_SERVICES, whose home/ was made by `shopbell init`. Loop and pool are the service's own.
#pragma once

#include <string>

#include <boost/asio/io_context.hpp>

#include "app/config/config.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "pg/script.h"

namespace shopbell::testing {

class TestDatabase {
 public:
  TestDatabase();
  ~TestDatabase();

  const std::string& api_url() const { return config_.database_api; }
  const std::string& worker_url() const { return config_.database_worker; }
  const std::string& reader_url() const { return config_.database_reader; }
  const std::string& owner_url() const { return owner_url_; }
  const std::string& admin_url() const { return admin_url_; }
  keyring::Keyring keyring() const { return keyring::Keyring::load(config_.keyring); }

  // A connected pool on `loop`.
  std::unique_ptr<pg::Pool> pool(const std::string& url, std::size_t connections = 1);

  boost::asio::io_context loop;
  observe::Metrics metrics;
  pg::Health health;

 private:
  app::Config config_;
  std::string name_;
  std::string owner_url_;
  std::string admin_url_;  // URL of the same database, as a superuser
};

}  // namespace shopbell::testing
