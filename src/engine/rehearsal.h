// Rehearsal: lets one contact go through workflows on a virtual clock and tells what would happen.
// It uses the functions that the lanes use, has no effect, and needs no database.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/person.h"
#include "engine/send_rules.h"

namespace shopbell::engine {

// One thing that happened: {at, "send", "cart-reminder"}.
struct Outcome {
  Instant at;
  std::string what;
  std::string detail;
};

// What the rehearsed contact meets outside of its runs.
struct Surroundings {
  std::map<std::string, std::deque<std::string>, std::less<>> coupon_codes;  // by set
  std::map<std::pair<std::string, std::string>, Data> objects;               // by type and id
  std::vector<FrequencyCap> caps;  // of marketing messages
  bool webhooks_fail = false;
  // Template, and the outcome of its messages: "failed", "suppressed", "skipped" or "unknown".
  std::map<std::string, std::string, std::less<>> message_outcomes;
};

class Rehearsal {
 public:
  Rehearsal(Person person, Workflows workflows, Surroundings surroundings, Instant start);

  // Adds an event now, whose data is JSON. It may have occurred earlier.
  void happen(const std::string& kind, const std::string& data, bool may_start = true,
              std::optional<Instant> occurred_at = {});
  void happen(Event event);
  // Lets time pass: fires timers, schedules and waiting messages on the way.
  void advance_to(Instant at);
  // Lets time pass until nothing is due before `latest`.
  void finish(Instant latest);

  void pause(const Uuid& workflow);
  void resume(const Uuid& workflow);
  // Makes a version the active one. The runs at the nodes of the map move to it.
  void publish(const Uuid& workflow, std::shared_ptr<const Definition> definition,
               std::map<std::string, std::string, std::less<>> nodes);
  void end_runs(const Uuid& workflow);
  void release_runs(const Uuid& workflow);
  void change_contact(const std::string& patch);

  const Person& person() const { return person_; }
  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  // The people who passed an edge of a node, by "node" and by "node.edge".
  const std::map<std::string, std::int64_t>& people() const { return people_; }
  Surroundings& surroundings() { return surroundings_; }

 private:
  struct WaitingMessage {
    PlanMessage message;
    Instant planned_at;
    Instant at;
  };

  template <class React>
  void apply(React react);
  void provide(const Need& need);
  bool withdraw(const WithdrawNeed& need);
  void provide_history(const HistoryNeed& need);
  void provide_coupon(const CouponNeed& need);

  void perform(const Action& action);
  void try_to_send(const WaitingMessage& waiting);
  void end_message(const PlanMessage& message, const std::string& outcome);
  void deliver(const SendWebhook& webhook);
  void note_ends(const std::vector<Run>& before);
  void handle_queue();
  std::optional<Instant> next_due() const;
  void fire_due();
  void check_schedules(const Workflow& workflow);
  std::optional<Instant> next_schedule() const;
  void note(std::string what, std::string detail = {});
  template <class Do>
  void for_runs_of(const Uuid& workflow, Do run);
  Zone zone() const;

  Person person_;
  Workflows workflows_;
  Surroundings surroundings_;
  Instant now_;
  Facts facts_;
  std::vector<Event> history_;
  std::deque<Event> queue_;  // caused by the run itself; handled at the same moment
  std::vector<WaitingMessage> waiting_;
  std::vector<Instant> sent_;          // marketing messages
  std::map<Uuid, Instant> schedules_;  // next time of each workflow's schedule
  std::map<Uuid, bool> held_before_;   // whether the schedule's condition held at its last time
  std::vector<Outcome> outcomes_;
  std::map<std::string, std::int64_t> people_;
  std::int64_t events_ = 0;
};

}  // namespace shopbell::engine
