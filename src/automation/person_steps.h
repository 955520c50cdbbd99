// PersonSteps: steps one contact through the inputs of a batch, in memory.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "automation/account_workflows.h"
#include "automation/inputs.h"
#include "automation/lane_store.h"
#include "automation/rows.h"

namespace shopbell::automation {

// An action, with the input that caused it.
struct Acted {
  engine::Action action;
  Instant now;
  std::int64_t hops = 0;
  std::string purchase = {};  // the one that the input is about; empty: none
};

class PersonSteps {
 public:
  // `contact`: as clients see it; no value if it is erased or merged. `definitions` must outlive
  // it.
  PersonSteps(ContactKey owner, std::vector<Input> inputs, AccountWorkflows& definitions,
              engine::Data contact, std::optional<Uuid> merged_into);

  void add(StoredRun run);
  void add(StoredEnrolment enrolment);
  void give_trigger(const EventKey& key, const engine::Data& envelope);

  // The workflows whose enrolments the inputs may need.
  std::set<Uuid> entered_workflows() const;
  // The versions that the runs have.
  std::set<std::pair<Uuid, std::int64_t>> versions() const;
  // The events that started runs and that their definitions refer to.
  std::set<EventKey> triggers() const;

  // Steps until the inputs end, or until a step lacks facts, which `needs` then has.
  void step();
  const std::vector<engine::Need>& needs() const { return needs_; }
  engine::Facts& facts() { return facts_; }
  const Before& before() const { return inputs_[next_].before; }

  const ContactKey& owner() const { return owner_; }
  std::int16_t lane() const { return lane_; }
  AccountWorkflows& definitions() { return definitions_; }
  // True if something happens outside of the runs, so the contact must be locked.
  bool acts_outward() const;

  // True if a step of this batch planned the message, so it is not stored yet.
  bool plans(const Uuid& message) const;

  // Adds the difference to the loaded rows. Call it once, after the last step.
  void add_to(Writes& writes) const;

 private:
  // Functions in person_changes.cc:
  StoredRun row_of(const engine::Run& run) const;
  void add_runs(Writes& writes) const;
  void add_timers(StoredRun& row, Writes& writes) const;
  void add_waits(const engine::Run* before, const engine::Run& after, Writes& writes) const;
  std::int64_t per_unit_of(const engine::Run& run, std::string_view subject) const;
  void add_enrolments(Writes& writes) const;
  void add_actions(Writes& writes) const;
  void add_numbers(Writes& writes) const;
  void add_event(Writes& writes, std::string kind, const engine::Run& run, Instant at,
                 std::string_view reason) const;
  void add_conversion(Writes& writes, const engine::Run& run, const std::string& purchase) const;
  const engine::Run* find_now(const Uuid& run) const;

  std::optional<engine::Reaction> react(const Input& input);
  std::optional<engine::Reaction> react_to(const HappenedEvent& happened);
  std::optional<engine::Reaction> react_to(const FiredTimer& timer, const Input& input);
  std::optional<engine::Reaction> react_to(const ScheduleStart& start, const Input& input);
  // If the condition of the schedule held when the contact was asked last.
  bool is_held(const Uuid& workflow) const;
  void note_held(const Uuid& workflow, bool holds, Instant now);
  void follow_merge(const HappenedEvent& happened, const Input& input);
  void accept(engine::Reaction reaction, const Input& input);
  void forget();
  std::vector<engine::Need> withdrawals() const;
  void hand_over(const Handover& handover, const Input& input);
  void adopt(const Adoption& adoption, const Input& input);
  void pass_on(const std::vector<engine::Enrolment>& enrolments, const Uuid& into, Instant at);
  void fail(const Failure& failure);
  void hold_unusable();

  const ContactKey owner_;
  std::int64_t hops_ = 0;  // the longest chain of events that led to an input
  const std::int16_t lane_;
  std::vector<Input> inputs_;
  std::size_t next_ = 0;
  AccountWorkflows& definitions_;
  std::optional<Uuid> merged_into_;
  bool exists_;

  engine::Person person_;
  std::map<Uuid, StoredRun> stored_;  // as loaded; `timer_at` is cleared when the timer fires
  std::set<Uuid> fired_;              // runs whose timers fired
  std::map<std::pair<Uuid, std::string>, StoredEnrolment> enrolled_;  // as loaded
  // For whom the conditions of schedules hold that wait for them to become true, by workflow.
  // Stored as enrolments with the key kHeldKey, which the engine does not see.
  std::map<Uuid, engine::Enrolment> held_;
  // The triggers of runs that began or restarted here; nullopt: the event was forwarded.
  std::map<Uuid, std::optional<EventKey>> triggers_;
  std::vector<engine::Run> ended_;
  std::vector<Acted> acted_;
  std::vector<AppendedEvent> appended_;
  std::vector<engine::Need> needs_;
  std::map<Uuid, Instant> ended_at_;
  engine::Facts facts_;
  bool erased_ = false;
  bool is_handed_over_ = false;
};

}  // namespace shopbell::automation
