#include "simulator/model.h"

#include <algorithm>
#include <format>
#include <functional>
#include <ranges>

namespace shopbell::simulator {

using automation::Input;
using automation::Inputs;
using engine::Reaction;
using engine::Run;

namespace {

// The inputs of each contact, decoded event by event.
std::map<ContactKey, std::vector<Input>> inputs_in(const Journal& journal) {
  std::map<ContactKey, std::vector<Input>> all;
  const auto add = [&](event_log::Work work) {
    work.tick = journal.work.tick;
    work.through = journal.work.through;
    work.now = journal.work.now;
    work.objection = journal.work.objection;
    for (auto& [owner, inputs] : automation::inputs_of(work))
      std::ranges::move(inputs, std::back_inserter(all[owner]));
  };
  for (const auto* entry : journal.work.entries) add({.entries = {entry}});
  for (const auto& timer : journal.work.timers)
    if (journal.fired.contains({timer.owner, timer.due_at})) add({.timers = {timer}});
  return all;
}

// Where a person is: at nodes, and in workflows.
std::set<std::pair<Uuid, std::string>> places_of(const std::vector<Run>& runs) {
  std::set<std::pair<Uuid, std::string>> places;
  for (const auto& run : runs) {
    if (!run.is_open()) continue;
    places.emplace(run.workflow, run.node);
    places.emplace(run.workflow, "");
  }
  return places;
}

bool is_in(const std::vector<engine::Enrolment>& all, const engine::Enrolment& one) {
  return std::ranges::any_of(all, [&](const engine::Enrolment& other) {
    return other.workflow == one.workflow && other.key == one.key;
  });
}

}  // namespace

void Model::follow(const Journal& journal) {
  for (const auto* entry : journal.work.entries) check_order(*entry);
  for (const auto& timer : journal.work.timers) check_gate(timer, journal);
  Told told;
  for (const auto& [owner, inputs] : inputs_in(journal)) {
    Person& person = people_[owner];
    const Places before = places_of(person.runs);
    const auto contact = journal.contacts.find(owner);
    Following following{.journal = journal, .owner = owner, .person = person, .contact = {}};
    following.exists = contact != journal.contacts.end();
    following.contact = following.exists ? contact->second : engine::Data{"{}"};
    if (journal.emptied.contains(owner))
      for (auto& run : person.runs) run.trigger = {};
    std::ranges::sort(person.runs, {}, &Run::id);
    std::ranges::stable_sort(person.enrolments, std::ranges::greater{},
                             &engine::Enrolment::started_at);
    for (const auto& input : inputs) {
      ++inputs_;
      apply(following, input);
    }
    count(before, -1);
    count(places_of(person.runs), 1);
    if (!following.is_erased) {  // else nothing of this transaction is told
      for (const auto& [counter, people] : following.counts) counts_[counter] += people;
      told.merge(following.told);
    }
    compare(owner, person);
    check_run_rules(owner);
    ++compared_;
  }
  compare_told(journal, told);
  compare_counts();
  for (const auto& planned : journal.writes.messages)
    if (!planned_.contains(planned.message.id))
      throw Violation{"a message was planned that no run wants", planned.owner.contact};
  check_messages();
  check_coupons();
  if (!is_stepped_) check_product_waits(journal);
}

void Model::apply(Following& following, const Input& input) {
  using automation::Adoption;
  using automation::Erasure;
  using automation::FiredTimer;
  using automation::Handover;
  using automation::HappenedEvent;
  using automation::RunCommand;
  using automation::ScheduleStart;
  const engine::Workflows& workflows = world_.definitions_at(following.journal.interest);
  const auto* happened = std::get_if<HappenedEvent>(&input.what);
  if (std::holds_alternative<Erasure>(input.what)) {
    forget(following);
  } else if (const auto* handover = std::get_if<Handover>(&input.what)) {
    hand_over(following, *handover, input);
  } else if (const auto* adoption = std::get_if<Adoption>(&input.what)) {
    adopt(following, *adoption);
  } else if (!following.exists) {
    const auto into = following.journal.merged.find(following.owner);
    if (happened == nullptr || !happened->follows_merge) return;
    if (into != following.journal.merged.end())
      following.told.emplace(automation::kForward, into->second);
    else if (!happened->key)
      forget(following);
  } else if (happened != nullptr) {
    react(
        following,
        [&](const engine::Person& person, const engine::Facts& facts) {
          return engine::react(person, happened->event, workflows, facts);
        },
        input);
  } else if (const auto* timer = std::get_if<FiredTimer>(&input.what)) {
    react(
        following,
        [&](const engine::Person& person, const engine::Facts& facts) {
          return engine::fire(person, timer->run, input.now, workflows, facts);
        },
        input);
  } else if (const auto* command = std::get_if<RunCommand>(&input.what)) {
    react(
        following,
        [&](const engine::Person& person, const engine::Facts& facts) {
          return engine::obey(person, command->run, command->command, input.now, workflows, facts);
        },
        input);
  } else if (const auto* schedule = std::get_if<ScheduleStart>(&input.what)) {
    start(following, *schedule, input);
  }
}

// A schedule starts those for whom its condition holds; with `becomesTrue`, those for whom it did
// not hold before.
void Model::start(Following& following, const automation::ScheduleStart& start,
                  const Input& input) {
  const engine::Workflows& workflows = world_.definitions_at(following.journal.interest);
  const engine::Workflow& workflow = workflows.at(start.workflow);
  if (workflow.active_version != start.version) return;
  if (workflow.version(start.version).trigger.schedule->becomes_true) {
    const auto holding =
        engine::holds_on_schedule(person_of(following), start.workflow, start.time, workflows, {});
    if (!holding.needs.empty())
      throw Violation{"a condition of a schedule lacks a fact", following.owner.contact};
    const auto held = following.person.held.find(start.workflow);
    const bool held_before = held != following.person.held.end() && held->second;
    if (holding.holds || held_before) following.person.held[start.workflow] = holding.holds;
    if (!holding.holds || held_before || start.is_baseline) return;
  }
  react(
      following,
      [&](const engine::Person& person, const engine::Facts& facts) {
        return engine::start_on_schedule(person, start.workflow, start.time, workflows, facts);
      },
      input);
}

void Model::forget(Following& following) {
  following.person.runs.clear();
  following.person.enrolments.clear();
  following.person.held.clear();
  following.exists = false;
  following.is_erased = true;
}

engine::Person Model::person_of(const Following& following) {
  return {.account = following.owner.account,
          .contact_id = following.owner.contact,
          .contact = following.contact,
          .store = engine::Data{R"({"timeZone":"Europe/Berlin"})"},
          .runs = following.person.runs,
          .enrolments = following.person.enrolments};
}

// Repeats the step until it lacks nothing.
void Model::react(Following& following,
                  const std::function<Reaction(const engine::Person&, const engine::Facts&)>& step,
                  const Input& input) {
  engine::Facts facts;
  const engine::Person person = person_of(following);
  while (true) {
    Reaction reaction = step(person, facts);
    if (reaction.needs.empty()) return accept(following, std::move(reaction));
    for (const auto& need : reaction.needs) answer(following, need, input, facts);
  }
}

void Model::answer(Following& following, const engine::Need& need, const Input& input,
                   engine::Facts& facts) const {
  const Journal& journal = following.journal;
  const auto missing = [&](std::string_view fact) {
    return Violation{std::format("a step did without {} that it needs", fact),
                     following.owner.contact};
  };
  if (const auto* history = std::get_if<engine::HistoryNeed>(&need)) {
    const auto found = journal.histories.find({following.owner, history->kind, input.before.id});
    if (found == journal.histories.end() || found->second.since > history->since)
      throw missing(std::format("a history of {} since {}", history->kind,
                                to_rfc3339_exactly(history->since)));
    facts.histories[history->kind] = found->second;
  } else if (const auto* coupon = std::get_if<engine::CouponNeed>(&need)) {
    const auto found = journal.coupons.find(coupon->claim);
    if (found == journal.coupons.end()) throw missing("a coupon");
    facts.coupons[coupon->claim] = found->second;
  } else if (const auto* withdrawal = std::get_if<engine::WithdrawNeed>(&need)) {
    const auto found = journal.withdrawn.find(withdrawal->message);
    if (following.planned.contains(withdrawal->message)) {
      facts.withdrawn[withdrawal->message] = true;
    } else {
      if (found == journal.withdrawn.end()) throw missing("the withdrawal of a message");
      facts.withdrawn[withdrawal->message] = found->second;
    }
  } else {
    throw missing("an object");
  }
}

void Model::accept(Following& following, Reaction reaction) {
  const auto& owner = following.owner;
  for (const auto& action : reaction.actions) {
    if (const auto* message = std::get_if<engine::PlanMessage>(&action)) {
      following.planned.insert(message->id);
      planned_.insert(message->id);
    } else if (const auto* person = std::get_if<engine::CountPerson>(&action)) {
      ++following.counts[{kAccount, person->workflow, person->node,
                          person->edge.empty() ? "reached" : person->edge}];
    } else if (const auto* refused = std::get_if<engine::RefuseStart>(&action)) {
      ++following.counts[{kAccount, refused->workflow, "", "refused." + refused->reason}];
    } else if (std::holds_alternative<engine::Convert>(action)) {
      following.told.emplace("workflow.converted", owner.contact);
    } else if (const auto* event = std::get_if<engine::AppendEvent>(&action)) {
      following.told.emplace(event->kind, owner.contact);
    }
  }
  const auto find_before = [&](const Uuid& id) {
    const auto found = std::ranges::find(following.person.runs, id, &Run::id);
    return found == following.person.runs.end() ? nullptr : &*found;
  };
  for (const auto& run : reaction.person.runs) {
    const Run* before = find_before(run.id);
    if (before == nullptr) following.told.emplace("workflow.entered", owner.contact);
    if (run.is_open() || (before != nullptr && !before->is_open())) continue;
    following.told.emplace(run.why == "completed" ? "workflow.completed" : "workflow.exited",
                           owner.contact);
  }
  std::erase_if(reaction.person.runs,
                [](const Run& run) { return run.state == engine::RunState::ended; });
  following.person.runs = std::move(reaction.person.runs);
  following.person.enrolments = std::move(reaction.person.enrolments);
  following.contact = std::move(reaction.person.contact);
}

void Model::hand_over(Following& following, const automation::Handover& handover,
                      const Input& input) {
  following.exists = false;
  const engine::Workflows& workflows = world_.definitions_at(following.journal.interest);
  std::vector<Uuid> ids;
  ids.reserve(following.person.runs.size());
  for (const auto& run : following.person.runs) ids.push_back(run.id);
  for (const auto& id : ids)
    react(
        following,
        [&](const engine::Person& person, const engine::Facts& facts) {
          return engine::obey(person, id, {.why = "merged", .nodes = {}}, input.now, workflows,
                              facts);
        },
        input);
  following.person.runs.clear();
  if (!following.person.enrolments.empty())
    following.told.emplace(automation::kAdopt, handover.into);
  following.person.enrolments.clear();
  following.person.held.clear();
}

void Model::adopt(Following& following, const automation::Adoption& adoption) {
  const auto into = following.journal.merged.find(following.owner);
  if (!following.exists) {
    if (into != following.journal.merged.end())
      following.told.emplace(automation::kAdopt, into->second);
    else
      forget(following);
    return;
  }
  for (const auto& one : adoption.enrolments)
    for (auto& run : following.person.runs)
      if (run.workflow == one.workflow) run.seen.insert(one.seen.begin(), one.seen.end());
  for (const auto& one : adoption.enrolments)
    if (!is_in(following.person.enrolments, one)) following.person.enrolments.push_back(one);
}

void Model::count(const Places& places, int delta) {
  for (const auto& [workflow, node] : places)
    counts_[{kAccount, workflow, node, node.empty() ? "active" : "waiting"}] += delta;
}

}  // namespace shopbell::simulator
