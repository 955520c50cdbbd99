// Workflows that run beside the load of a proof: their runs wait a second and end. Every new
// contact enters the greeting once; afterwards each must have been greeted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pg/script.h"

namespace shopbell::proofs {

// Publishes the workflow in the account of the key. Returns the time from which on it greets.
// Throws on failure.
std::string publish_greeting(const std::string& admin_url, const std::string& host,
                             const std::string& port, const std::string& key);

// Publishes a workflow that the contact of each such event enters, unless it is in it.
void publish_short_wait(const std::string& host, const std::string& port, const std::string& key,
                        const std::string& event);

struct Greetings {
  std::int64_t contacts = 0;
  std::int64_t runs = 0;     // of these contacts
  std::int64_t missing = 0;  // contacts that never entered
  std::int64_t again = 0;    // contacts with more runs than they were created
  std::int64_t stuck = 0;    // runs that are due and did not end, or whose contact is gone
  std::int64_t parked = 0;

  Greetings& operator+=(const Greetings& other);
  bool exact() const {
    return contacts > 0 && missing == 0 && again == 0 && stuck == 0 && parked == 0;
  }
  std::string text() const;
};

// Waits until the lanes have processed every event and every run has ended, at most a minute. Then
// compares the runs with the contacts that were created since, in the account or in all.
Greetings compare_greetings(pg::Script& database, const std::string& since,
                            std::optional<std::int64_t> account = {});

struct Leftovers {
  std::int64_t ended = 0;
  std::int64_t stuck = 0;  // runs that are due and did not end
  std::int64_t parked = 0;

  bool none() const { return ended > 0 && stuck == 0 && parked == 0; }
};
// Waits until the lanes have processed every event and every run has ended, at most a minute.
Leftovers await_ends(pg::Script& database, std::optional<std::int64_t> account = {});

}  // namespace shopbell::proofs
