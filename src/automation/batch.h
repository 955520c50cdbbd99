// Batch: the work of one lane transaction: load, step, look up what steps lack, write.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "automation/account_workflows.h"
#include "automation/lane_store.h"
#include "automation/person_steps.h"
#include "event_log/reader.h"

namespace shopbell::automation {

class Batch {
 public:
  Batch(LaneStore& store, Definitions& definitions, const event_log::Work& work)
      : store_{store}, definitions_{definitions}, work_{work} {}

  // Runs that the batch parked.
  std::int64_t parked() const { return parked_; }
  // True if the batch planned messages.
  bool has_planned() const { return has_planned_; }
  // Returns the earliest timer that was armed in each group of lanes. Throws event_log::Busy if
  // another transaction has locked a contact that something must happen to.
  boost::asio::awaitable<std::map<std::int16_t, Instant>> run();

 private:
  using Accounts = std::map<std::int64_t, std::shared_ptr<AccountWorkflows>>;

  Wanted wanted(const Inputs& inputs);
  boost::asio::awaitable<void> prepare(Loaded& loaded, Inputs inputs);
  boost::asio::awaitable<void> complete();
  boost::asio::awaitable<void> step_all();
  boost::asio::awaitable<Writes> writes();
  void bound_timers(Writes& writes) const;

  LaneStore& store_;
  Definitions& definitions_;
  const event_log::Work& work_;
  Accounts accounts_;
  std::vector<PersonSteps> people_;
  std::set<EnrolmentsOf> loaded_enrolments_;
  std::int64_t parked_ = 0;
  bool has_planned_ = false;
};

}  // namespace shopbell::automation
