// Parts of the event-order proof: histories over the full retention, and the effect of a hot
// contact on other contacts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "testing/installation.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

struct HistoryFigures {
  std::int64_t partitions = 0;
  std::int64_t pages = 0;
  std::int64_t errors = 0;
  std::int64_t inexact = 0;  // histories that miss an event or are not newest first
  double planning_ms = 0;    // planning time, best of several runs
  std::vector<std::string> examples;

  bool exact() const { return errors == 0 && inexact == 0; }
  bool quick() const { return planning_ms <= 5; }
};

// Fills the past 14 months with events of the contacts, then reads all histories concurrently, page
// by page, as the API's role.
HistoryFigures look_up_histories(const Setting& setting, const testing::Installation& installation,
                                 std::int64_t account, const std::vector<Uuid>& contacts);

struct HotFigures {
  NeighbourFigures same_account;
  NeighbourFigures other_account;
  double cpu_percent = 0;  // CPU usage of the machine, median of the hot rounds
  double hot_per_second = 0;
  double in_flight = 0;         // average number of requests in flight on the hot contact
  std::int64_t unanswered = 0;  // requests of any client without a successful response
};

// Measures the neighbours of a hot contact: 32 clients write to one contact, which a database
// session keeps locking. Other clients write and read their own contacts at 100 requests a second.
HotFigures measure_neighbours(const Setting& setting, const testing::Installation& installation,
                              ProcessPair& pair, const std::string& key,
                              const std::string& other_key);

}  // namespace shopbell::proofs
