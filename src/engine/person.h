// Person: one contact with its runs. An event is applied to all of them in one order: goals, exits,
// waits, restarts, starts. A run never sees its own trigger.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/step.h"

namespace shopbell::engine {

struct Person {
  std::int64_t account = 0;
  Uuid contact_id;
  Data contact;
  Data store;
  std::vector<Run> runs;
  std::vector<Enrolment> enrolments;
};

// A workflow as its account has it now.
struct Workflow {
  Uuid id;
  std::int64_t active_version = 0;  // 0: starts nothing
  bool paused = false;
  std::optional<Instant> active_since;  // events received before start nothing
  std::int64_t priority = 0;
  std::map<std::int64_t, std::shared_ptr<const Definition>> versions;  // all that have runs

  const Definition& version(std::int64_t number) const { return *versions.at(number); }
};
using Workflows = std::map<Uuid, Workflow>;

struct Reaction {
  Person person;
  std::vector<Action> actions;
  std::vector<Need> needs;  // not empty: the reaction is void; obtain them and react again
};

Reaction react(const Person& person, const Event& event, const Workflows& workflows,
               const Facts& facts);

// Fires the timer of one run. `now` is the time up to which timers are due.
Reaction fire(const Person& person, const Uuid& run, Instant now, const Workflows& workflows,
              const Facts& facts);

// A time of a workflow's schedule that has come for a person.
struct ScheduleTime {
  Uuid uid;  // of the event that says so; a batch of events has one time
  Instant now;
  std::string date;  // local
};

// Starts a workflow on its schedule for the person, if the condition of the schedule holds.
Reaction start_on_schedule(const Person& person, const Uuid& workflow, const ScheduleTime& time,
                           const Workflows& workflows, const Facts& facts);

// Tells if the condition of the schedule holds for the person.
struct Holding {
  bool holds = false;
  std::vector<Need> needs;  // not empty: obtain them and ask again
};
Holding holds_on_schedule(const Person& person, const Uuid& workflow, const ScheduleTime& time,
                          const Workflows& workflows, const Facts& facts);

// An operator's command for one run.
struct Command {
  enum class Kind { end, release, move };
  Kind kind = Kind::end;
  std::string why;                                        // of end
  std::int64_t version = 0;                               // of move: the version to move to
  std::map<std::string, std::string, std::less<>> nodes;  // of move: from old nodes to new ones
};
Reaction obey(const Person& person, const Uuid& run, const Command& command, Instant now,
              const Workflows& workflows, const Facts& facts);

}  // namespace shopbell::engine
