#include "testing/database.h"

#include <cstdlib>
#include <format>
#include <stdexcept>
#include <thread>

#include "base/random.h"
#include "testing/process.h"

namespace shopbell::testing {

namespace {

// The URL of the same server and role, but another database.
std::string in_database(std::string url, const std::string& name) {
  return url.replace(url.rfind('/') + 1, std::string::npos, name);
}

}  // namespace

TestDatabase::TestDatabase() {
  const char* services = std::getenv("SHOPBELL_SERVICES");
  if (services == nullptr)
    throw std::runtime_error{"SHOPBELL_SERVICES is not set: run by ctest, or tests/with-database"};
  const std::filesystem::path home = std::filesystem::path{services} / "home";
  config_ =
      app::load_config(home / "shopbell.toml", [](const std::string&) { return std::nullopt; });
  const std::string server_url = read_file(home / "admin");
  name_ = "test_" + random_base62(12);
  pg::Script server{server_url};
  for (int attempt = 1;; ++attempt) {
    try {
      server.run(std::format("CREATE DATABASE {} TEMPLATE shopbell OWNER shopbell_owner",
                             server.quote_name(name_)));
      // Grants on the database itself are not copied from the template.
      server.run(std::format(
          "REVOKE ALL ON DATABASE {0} FROM PUBLIC; GRANT CONNECT ON DATABASE {0} TO shopbell_api, "
          "shopbell_worker, shopbell_reader, shopbell_owner",
          server.quote_name(name_)));
      break;
    } catch (const pg::Error& error) {
      // Another test is copying the template at this moment.
      if (error.sqlstate() != "55006" || attempt == 100) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }
  admin_url_ = in_database(server_url, name_);
  owner_url_ = in_database(app::load_owner(home / "owner.toml"), name_);
  for (auto* url : {&config_.database_api, &config_.database_worker, &config_.database_reader}) {
    *url = in_database(*url, name_);
  }
}

TestDatabase::~TestDatabase() {
  try {
    pg::Script server{in_database(admin_url_, "postgres")};
    server.run(std::format("DROP DATABASE {} WITH (FORCE)", server.quote_name(name_)));
  } catch (const pg::Error&) {  // the database is removed with its server
  }
}

std::unique_ptr<pg::Pool> TestDatabase::pool(const std::string& url, std::size_t connections) {
  auto made = std::make_unique<pg::Pool>(
      loop, pg::Pool::Settings{.url = url, .shared = connections, .writing = connections}, metrics,
      health);
  runtime::run_to_end(loop, made->wait_connected(pg::Steady::now() + std::chrono::seconds{30}));
  return made;
}

}  // namespace shopbell::testing
