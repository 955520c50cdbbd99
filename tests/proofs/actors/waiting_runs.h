// WaitingRuns: runs of a workflow that wait for their timers, in several accounts. Millions of them
// are loaded by SQL, as copies of runs that the service started. The database records when each
// transaction committed, so it knows when each timer fired.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "pg/script.h"
#include "testing/installation.h"
#include "tests/proofs/actors/fleet.h"

namespace shopbell::proofs {

// Runs with the same key. Their due times are spread evenly over `over`.
struct RunSet {
  std::string key;
  std::int64_t runs = 0;
  std::chrono::milliseconds after{0};  // the first due time, after the base of all sets
  std::chrono::milliseconds over{0};   // zero: all are due in the same microsecond
};

// The timers of a set that have fired.
struct FiredTimers {
  std::int64_t runs = 0;
  std::int64_t fired = 0;
  std::int64_t early = 0;  // fired before they were due
  std::int64_t wrong = 0;  // fired twice, or in another state than after one step
  double p99_s = 0;        // latency from the due time to the commit
  double drained_s = 0;    // time from the first due time to the last commit
  double per_second() const { return static_cast<double>(fired) / std::max(drained_s, 0.001); }
};

class WaitingRuns {
 public:
  // Makes the server record the times of commits, which restarts it. Call this before services
  // start.
  static void record_commit_times(testing::Installation& installation);

  // Creates the accounts, each with the workflow. The service starts a run for each of the keys.
  WaitingRuns(testing::Installation& installation, const Fleet& fleet, std::size_t accounts,
              const std::vector<std::string>& keys);

  // The key of an account with the workflow, whose trigger is the event type `ring`.
  const std::string& api_key() const { return api_keys_.front(); }

  // Loads contacts without runs, `contacts` in each account.
  void load_contacts(std::int64_t contacts);
  // Loads a run for each of the next contacts, that many in total. Returns the base: a time `lead`
  // ahead. Throws if that was too short.
  std::string load(const std::vector<RunSet>& sets, std::chrono::milliseconds lead);
  // The contacts of the next load() are the first ones again.
  void use_first_contacts() { next_contact_ = 1; }
  // Runs that the first load wrote in a second.
  double loaded_per_second() const { return loaded_per_second_; }

  // The number of columns, among all that name neither the contact nor the time, in which loaded
  // rows differ from those of a run that the service started.
  std::int64_t differences(const std::string& key);

  // The number of people whose run has passed the first wait.
  std::int64_t moved();
  FiredTimers fired(const std::string& key);
  // Runs started by events whose keys have this prefix: their number, and the 99th percentile of
  // the latency from the commit of the event to that of the run.
  struct Started {
    std::int64_t runs = 0;
    double p99_s = 0;
  };
  Started started(const std::string& prefix);

 private:
  std::string load_statement(std::int64_t account, const RunSet& set,
                             const std::string& base) const;
  void for_each_account(const std::function<void(pg::Script&, std::int64_t)>& work) const;

  const std::string admin_url_;
  pg::Script database_;
  std::vector<std::string> api_keys_;
  std::vector<std::int64_t> accounts_;
  std::string began_;  // loaded runs started long before this time
  std::int64_t next_contact_ = 1;
  double loaded_per_second_ = 0;
};

}  // namespace shopbell::proofs
