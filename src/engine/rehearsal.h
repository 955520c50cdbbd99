// Rehearsal: lets one contact go through workflows on a virtual clock and tells what would happen.
// It uses the functions that the lanes use, has no effect, and needs no database.
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

  // Adds an event now, whose data is JSON. `triggers` is "all", "exitsOnly" or "none". It may have
  // occurred earlier.
  void happen(const std::string& kind, const std::string& data, std::string_view triggers = "all",
              std::optional<Instant> occurred_at = {});
  void happen(Event event);
  // Lets time pass: fires the timers, schedules and waiting messages that are due before `at`. An
  // event at that moment comes before them.
  void advance_to(Instant at);
  // Lets time pass until nothing is due up to `latest`, or until that many things were due. Returns
  // false if more would follow before `latest`.
  bool finish(Instant latest, int most = std::numeric_limits<int>::max());

  void pause(const Uuid& workflow);
  void resume(const Uuid& workflow);
  // Makes a version the active one. The runs at the nodes of the map move to it.
  void publish(const Uuid& workflow, std::shared_ptr<const Definition> definition,
               std::map<std::string, std::string, std::less<>> nodes);
  void end_runs(const Uuid& workflow);
  void release_runs(const Uuid& workflow);
  void change_contact(const std::string& patch);

  const Person& person() const { return person_; }
  // The runs that have ended, oldest first.
  const std::vector<Run>& ended() const { return ended_; }
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

  Event event_of(std::string kind, const std::string& data,
                 std::optional<Instant> occurred_at = {});
  void apply(const std::function<Reaction()>& react);
  void provide(const Need& need);
  bool withdraw(const WithdrawNeed& need);
  void provide_history(const HistoryNeed& need);
  void provide_coupon(const CouponNeed& need);
  void release_coupon(const Uuid& claim);

  void perform(const Action& action, const Data& contact_before);
  bool send_next();
  bool is_suppressed(bool is_marketing) const;
  std::int64_t priority_of(const PlanMessage& message) const;
  void try_to_send(const WaitingMessage& waiting);
  void end_message(const PlanMessage& message, const std::string& outcome);
  void deliver(const SendWebhook& webhook);
  void note_ends(const std::vector<Run>& before);
  void handle_queue();
  std::optional<Instant> next_due() const;
  void fire_due();
  void check_schedules(const Workflow& workflow);
  void plan_schedule(const Workflow& workflow);
  void begin_schedule(const Workflow& workflow);
  bool holds_now(const Trigger& trigger);
  void watch_schedules();
  void note_change(const Data& before, int hops);
  void note(std::string what, std::string detail = {});
  void for_runs_of(const Uuid& workflow, const std::function<void(const Uuid&)>& run);
  Zone zone() const;
  Zone zone_of(const Schedule& schedule) const;

  Person person_;
  Workflows workflows_;
  Surroundings surroundings_;
  Instant now_;
  Facts facts_;
  std::vector<Event> history_;
  std::deque<Event> queue_;  // caused by the run itself; handled at the same moment
  std::vector<WaitingMessage> waiting_;
  std::vector<Instant> sent_;                      // marketing messages
  std::map<std::string, std::string> codes_held_;  // the contact's last code of each coupon set
  std::map<Uuid, std::string> coupon_sets_;        // of each claim
  std::map<Uuid, Instant> schedules_;              // next time of each workflow's schedule
  std::map<Uuid, bool> held_before_;  // whether the schedule's condition held at its last time
  std::vector<Outcome> outcomes_;
  std::vector<Run> ended_;
  std::map<std::string, std::int64_t> people_;
  std::int64_t events_ = 0;
};

}  // namespace shopbell::engine
