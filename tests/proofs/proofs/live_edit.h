// Parts of the proof live-edit: the comparison of the workflow's numbers with its runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "pg/script.h"
#include "tests/proofs/actors/workflow_shop.h"

namespace shopbell::proofs {

struct FoundRun {
  std::string key;
  std::int64_t version = 0;
  std::string node;
  std::string state;  // "ended" in the history
  bool is_there_twice = false;
  bool operator==(const FoundRun&) const = default;
};
// By id.
using FoundRuns = std::map<std::string, FoundRun>;
FoundRuns find_runs(pg::Script& database);

// A number of the workflow: a node, empty for the workflow itself, and what is counted.
using Numbers = std::map<std::pair<std::string, std::string>, std::int64_t>;
// Recounts the numbers from the runs.
Numbers recount(pg::Script& database);
// Returns the numbers that the service has stored.
Numbers stored_numbers(pg::Script& database);
// Returns the numbers of the responses.
Numbers shown_numbers(const WorkflowShop& shop, const std::string& workflow);
// Returns a text about the first numbers that differ; empty if none does.
std::string difference(const Numbers& wanted, const Numbers& found);

// Waits until events, jobs and messages have had their effect, and no run is about to move. Returns
// false after `patience`.
bool await_rest(pg::Script& database, std::chrono::seconds patience);

}  // namespace shopbell::proofs
