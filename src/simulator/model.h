// Model: what the workflows should do, computed slowly: one input after the other, with everything
// about the contact at hand, without batches, numbers of rows, timers or caches. After every
// commit it is compared with the tables.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "automation/inputs.h"
#include "simulator/memory_store.h"
#include "simulator/world.h"

namespace shopbell::simulator {

class Model {
 public:
  // `is_stepped`: the clock is set now and then.
  Model(World& world, bool is_stepped) : world_{world}, is_stepped_{is_stepped} {}

  // Follows a committed transaction of the process. Throws Violation.
  void follow(const Journal& journal);
  // Checks a history that a transaction has just read. Throws Violation.
  void check_history(const Journal& journal, const automation::HistoryQuestion& question,
                     const std::set<std::int64_t>& events) const;
  // Checks the tables as a whole, once nothing is left to do.
  void check_end() const;

  std::int64_t inputs() const { return inputs_; }
  std::int64_t compared() const { return compared_; }

 private:
  // What is known of one contact.
  struct Person {
    std::vector<engine::Run> runs;
    std::vector<engine::Enrolment> enrolments;
    std::map<Uuid, bool> held;    // of workflows: if the condition of the schedule held at last
    std::set<std::int64_t> read;  // ids of its events that its lanes have processed
  };
  using Places = std::set<std::pair<Uuid, std::string>>;
  using Told = std::multiset<std::pair<std::string, Uuid>>;  // kinds and contacts of events
  // The state of one contact while a transaction is followed.
  struct Following {
    const Journal& journal;
    ContactKey owner;
    Person& person;
    engine::Data contact;
    bool exists = false;
    std::set<Uuid> planned;
    Told told;
    std::map<automation::Counter, std::int64_t> counts;
    bool is_erased = false;
  };

  // model_order.cc: which inputs are allowed now.
  void check_order(const Entry& entry);
  void check_gate(const event_log::Timer& timer, const Journal& journal) const;
  void check_run_rules(const ContactKey& owner) const;
  void check_single_runs(const ContactKey& owner) const;
  void check_messages() const;
  void check_coupons() const;
  std::int64_t cause_of(const Journal& journal, const Uuid& contact, Instant at) const;
  void check_product_waits(const Journal& journal) const;

  void apply(Following& following, const automation::Input& input);
  void react(
      Following& following,
      const std::function<engine::Reaction(const engine::Person&, const engine::Facts&)>& step,
      const automation::Input& input);
  void answer(Following& following, const engine::Need& need, const automation::Input& input,
              engine::Facts& facts) const;
  void accept(Following& following, engine::Reaction reaction);
  static engine::Person person_of(const Following& following);
  void start(Following& following, const automation::ScheduleStart& start,
             const automation::Input& input);
  static void forget(Following& following);
  void hand_over(Following& following, const automation::Handover& handover,
                 const automation::Input& input);
  void adopt(Following& following, const automation::Adoption& adoption);
  void count(const Places& places, int delta);

  // model_compare.cc: the tables must say the same.
  void compare(const ContactKey& owner, const Person& person) const;
  void compare_counts() const;
  static void compare_told(const Journal& journal, const Told& told);

  World& world_;
  const bool is_stepped_;
  std::map<ContactKey, Person> people_;
  std::map<automation::Counter, std::int64_t> counts_;
  std::set<Uuid> planned_;
  std::set<std::tuple<Uuid, std::string, std::int64_t>> visits_;  // that planned a message
  std::int64_t inputs_ = 0;
  std::int64_t compared_ = 0;
};

}  // namespace shopbell::simulator
