// WorkflowShop: a store with what its workflows name: templates, coupon codes and event types. It
// creates and publishes workflows. With the key of a test account their messages count as sent.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "pg/script.h"
#include "tests/proofs/actors/fleet.h"

namespace shopbell::proofs {

class WorkflowShop {
 public:
  WorkflowShop(const Fleet& fleet, std::string key) : fleet_{fleet}, key_{std::move(key)} {}

  const std::string& key() const { return key_; }
  // Sends a request until it is acknowledged, and returns the body of the response. Throws if the
  // response is an error, or if a minute passes.
  std::string ask(testing::Ask ask) const;

  void create_templates(const std::vector<std::string>& aliases) const;
  // Creates a set with that many codes.
  void create_coupons(const std::string& alias, std::size_t codes) const;
  // Creates a workflow and publishes it; returns its id.
  std::string publish(const std::string& definition) const;
  // Saves a draft of the workflow; without one, the next publication only moves runs.
  void save_draft(const std::string& workflow, const std::string& definition) const;
  // Publishes the draft. `nodes` maps nodes of earlier versions to nodes of the new one.
  void publish(const std::string& workflow, const std::map<std::string, std::string>& nodes) const;

 private:
  const Fleet& fleet_;
  const std::string key_;
};

// Waits until no run of a workflow is left. Returns the number of runs that are left after
// `patience` without progress.
std::int64_t await_no_runs(pg::Script& database, std::chrono::seconds patience);

}  // namespace shopbell::proofs
