#include "simulator/simulation.h"

#include <algorithm>
#include <array>
#include <format>
#include <memory>
#include <set>

#include "events/event.h"

namespace shopbell::simulator {

namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kProcesses = 3;
constexpr int kWorkflows = 4;
constexpr Instant kStart{std::chrono::sys_days{std::chrono::year{2026} / 3 / 20}};

class Simulation {
 public:
  Simulation(std::uint64_t seed, const Size& size, Mechanism removed);

  Outcome run();

 private:
  void act(int depth);
  void interrupt(int process);
  void step(int number);
  void take_over();
  void let_time_pass();
  void finish();
  std::string trace_of(const Violation& violation) const;

  const Size size_;
  const Mechanism removed_;
  Random random_;
  const bool is_steady_;   // no process crashes or loses its lanes: nothing hides a lost timer
  const bool is_stepped_;  // the clock is set
  World world_{kStart};
  Model model_{world_, is_stepped_};
  Actors actors_;
  std::vector<std::unique_ptr<LaneProcess>> processes_;
  std::set<int> running_;  // processes whose batch is open
  bool is_calm_ = false;   // nothing fails any more
};

Simulation::Simulation(std::uint64_t seed, const Size& size, Mechanism removed)
    : size_{size},
      removed_{removed},
      random_{seed},
      is_steady_{random_.one_in(3)},
      is_stepped_{random_.one_in(2)},
      actors_{world_, random_, 3 + static_cast<int>(random_.below(6)), kWorkflows} {
  for (const auto& owner : actors_.contacts()) {
    const auto group =
        static_cast<std::int16_t>(events::lane_of(owner.account, owner.contact) >> 4);
    world_.tables.owners[group] = {.process = static_cast<int>(random_.below(kProcesses)),
                                   .generation = 1};
    world_.tables.positions[group] = {};
  }
  for (int number = 0; number < kProcesses; ++number)
    processes_.push_back(std::make_unique<LaneProcess>(
        world_, model_, random_,
        ProcessSetting{.number = number,
                       .removed = removed,
                       .has_faults = !is_steady_,
                       .before = [this, number](std::string_view) { interrupt(number); }}));
}

// Before a statement of a process: it dies here, or others act meanwhile.
void Simulation::interrupt(int process) {
  if (is_calm_) return;
  if (!is_steady_ && random_.one_in(60)) throw Crash{};
  const bool overlaps = removed_ == Mechanism::run_number;
  if (overlaps && running_.size() == 1 && random_.one_in(6))
    processes_[static_cast<std::size_t>(process)]->overlap();
  while (random_.one_in(5)) act(static_cast<int>(running_.size()));
}

void Simulation::step(int number) {
  if (!running_.insert(number).second) return;
  const auto leave = [&](int*) { running_.erase(number); };
  int open = number;
  const std::unique_ptr<int, decltype(leave)> guard{&open, leave};
  processes_[static_cast<std::size_t>(number)]->step();
}

// Another process gets a group of lanes; the former owner learns it at its next heartbeat.
void Simulation::take_over() {
  auto group = world_.tables.owners.begin();
  std::advance(group, random_.below(world_.tables.owners.size()));
  if (is_steady_ || group->second.locks > 0) return;
  group->second.process = static_cast<int>(random_.below(kProcesses));
  ++group->second.generation;
}

void Simulation::let_time_pass() {
  const auto mean = hours{24} * size_.days / (size_.actions / 8);
  const auto some = [&](auto most) {
    return microseconds{random_.between(1, microseconds{most}.count())};
  };
  if (is_stepped_ && random_.one_in(10)) {
    world_.move_clock(random_.one_in(2) ? some(hours{2}) : -some(hours{2}));
  } else if (random_.one_in(2)) {
    world_.move_clock(some(seconds{90}));
  } else {
    world_.move_clock(some(mean * 4));
  }
}

void Simulation::act(int depth) {
  const std::size_t choice = random_.below(32);
  const int process = static_cast<int>(random_.below(kProcesses));
  if (choice < 10) {
    if (depth < 2) step(process);
  } else if (choice < 13) {
    world_.make_tick();
  } else if (choice < 17) {
    let_time_pass();
  } else if (choice < 18) {
    take_over();
  } else if (choice < 20) {
    if (!running_.contains(process)) processes_[static_cast<std::size_t>(process)]->beat();
  } else {
    actors_.act(depth == 0);
  }
}

// Lets everything come to its end: then nothing may be left over.
void Simulation::finish() {
  is_calm_ = true;
  for (int round = 0; round < 10'000; ++round) {
    bool moved = actors_.finish();
    if (round == 0) world_.move_clock(hours{30});
    const auto& events = world_.tables.events;
    if (moved || round == 0 || (!events.empty() && events.back().shown == 0)) {
      world_.make_tick();
      moved = true;
    }
    for (const auto& process : processes_) {
      process->beat();
      for (int i = 0; i < 8; ++i) moved = process->step() || moved;
    }
    if (!moved) return model_.check_end();
  }
  throw Violation{"the lanes never come to rest", {}};
}

Outcome Simulation::run() {
  Outcome outcome;
  try {
    const Instant end = kStart + hours{24} * size_.days;
    for (int i = 0; i < size_.actions || world_.now() < end; ++i) act(0);
    finish();
  } catch (const Violation& violation) {
    outcome.violation = trace_of(violation);
  }
  const auto lasted = std::chrono::floor<std::chrono::days>(world_.clock_most() - kStart);
  outcome.workflow_days = lasted.count() * kWorkflows;
  outcome.inputs = model_.inputs();
  for (const auto& [owner, past] : world_.tables.history) outcome.runs += std::ssize(past);
  for (const auto& process : processes_) {
    outcome.batches += process->batches();
    outcome.crashes += process->crashes();
    outcome.refused += process->refused();
  }
  return outcome;
}

// The violation, and what happened to the contact at last.
std::string Simulation::trace_of(const Violation& violation) const {
  std::string text = violation.what;
  if (!violation.contact) return text;
  text += std::format("\n  contact {}", violation.contact->to_string());
  const auto& ids = world_.events_of(*violation.contact);
  for (std::size_t i = ids.size() > 12 ? ids.size() - 12 : 0; i < ids.size(); ++i) {
    const LogEvent& one = world_.tables.events[static_cast<std::size_t>(ids[i] - 1)];
    text +=
        std::format("\n  event {} {} at {} tick {} {}", ids[i], one.entry.kind,
                    to_rfc3339(one.entry.received_at), one.shown, one.entry.payload.value_or("–"));
  }
  if (const auto rows = world_.tables.runs.find({kAccount, *violation.contact});
      rows != world_.tables.runs.end())
    for (const auto& [id, row] : rows->second) {
      const auto& workflow = world_.tables.workflows.at(row.run.workflow);
      text += std::format("\n  run {} of {}", id.to_string(),
                          workflow.versions.at(row.run.version).source);
    }
  return text;
}

constexpr std::array<std::pair<std::string_view, Mechanism>, 9> kNames{
    {{"fence", Mechanism::fence},
     {"enrolment-constraint", Mechanism::enrolment_constraint},
     {"message-id", Mechanism::message_id},
     {"run-number", Mechanism::run_number},
     {"look-back-bound", Mechanism::look_back_bound},
     {"version-pin", Mechanism::version_pin},
     {"timer-gate", Mechanism::timer_gate},
     {"timer-mark", Mechanism::timer_mark},
     {"fresh-definitions", Mechanism::fresh_definitions}}};

}  // namespace

Outcome simulate(std::uint64_t seed, const Size& size, Mechanism removed) {
  return Simulation{seed, size, removed}.run();
}

std::optional<Mechanism> mechanism_of(std::string_view name) {
  for (const auto& [known, mechanism] : kNames)
    if (known == name) return mechanism;
  return std::nullopt;
}

std::string_view name_of(Mechanism mechanism) {
  for (const auto& [name, known] : kNames)
    if (known == mechanism) return name;
  return "none";
}

const std::vector<Mechanism>& all_mechanisms() {
  static const std::vector<Mechanism> all = [] {
    std::vector<Mechanism> mechanisms;
    mechanisms.reserve(kNames.size());
    for (const auto& [name, mechanism] : kNames) mechanisms.push_back(mechanism);
    return mechanisms;
  }();
  return all;
}

}  // namespace shopbell::simulator
