// ClientGroup: two processes on one database and many connections to both, for proofs with many
// concurrent clients.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "testing/http_client.h"
#include "testing/installation.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

using Job = std::function<boost::asio::awaitable<void>(testing::HttpClient&)>;

class ClientGroup {
 public:
  ClientGroup(const Setting& setting, const std::string& store_name);

  // Starts the jobs in order, each on the next free connection; returns when all have finished.
  void run(const std::string& what, std::vector<Job> jobs);

  // Runs statements as the administrator, who bypasses row-level security.
  pg::Script& database() { return database_; }
  std::int64_t count(const std::string& query);
  std::filesystem::path directory();  // the directory that holds all files of the installation
  std::mt19937_64& random() { return random_; }

  // Publishes a workflow that every new contact enters and stays in. The run's key is the contact's
  // e-mail address, so the runs hold personal data.
  void publish_workflow();
  // Waits until the lanes have read all events, so that no run of a contact that is gone is left.
  void await_lanes();

  void wrong(const std::string& what) { ++wrong_[what.substr(0, 300)]; }
  void expect(bool right, const std::string& what) {
    if (!right) wrong(what);
  }
  // Returns the verdict: the figures, followed by the errors that were counted.
  Verdict verdict(std::string figures) const;

 private:
  boost::asio::awaitable<void> work(testing::HttpClient& client, std::vector<Job>& jobs,
                                    std::size_t& next, const std::string& what);

  testing::Installation installation_;
  std::mt19937_64 random_;
  pg::Script database_;
  std::vector<testing::Installation::Service> services_;
  boost::asio::io_context loop_;
  std::vector<std::unique_ptr<testing::HttpClient>> clients_;
  std::map<std::string, int> wrong_;
};

// Retries the request while it fails, gets 503, or gets 409 because it is still in progress.
boost::asio::awaitable<testing::Answer> insist(testing::HttpClient& client, testing::Ask ask);

std::string email_path(std::string_view email);
std::string external_id_path(std::string_view id);
// Returns the status and the problem codes, which are equal for responses of the same kind.
std::string status_and_code(const testing::Answer& answer);
// Returns a member of the response's object: a string as it is, any other value as JSON, empty if
// missing.
std::string member_of(const testing::Answer& answer, std::string_view name);

}  // namespace shopbell::proofs
