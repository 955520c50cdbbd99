#include "automation/person_steps.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "events/event.h"

namespace shopbell::automation {

using engine::Reaction;
using engine::Run;

PersonSteps::PersonSteps(ContactKey owner, std::vector<Input> inputs, AccountWorkflows& definitions,
                         engine::Data contact, std::optional<Uuid> merged_into)
    : owner_{owner},
      lane_{events::lane_of(owner.account, owner.contact)},
      inputs_{std::move(inputs)},
      definitions_{definitions},
      merged_into_{merged_into},
      exists_{contact} {
  for (const auto& input : inputs_) hops_ = std::max(hops_, input.hops);
  person_.account = owner.account;
  person_.contact_id = owner.contact;
  person_.contact = exists_ ? std::move(contact) : engine::Data{"{}"};
  person_.store = definitions.store;
}

void PersonSteps::add(StoredRun run) {
  person_.runs.push_back(run.run);
  const Uuid id = run.run.id;
  stored_.emplace(id, std::move(run));
}

void PersonSteps::add(StoredEnrolment enrolment) {
  const std::pair key{enrolment.enrolment.workflow, enrolment.enrolment.key};
  if (enrolled_.contains(key)) return;
  if (key.second == kHeldKey) {
    held_[key.first] = enrolment.enrolment;
  } else {
    person_.enrolments.push_back(enrolment.enrolment);
  }
  enrolled_.emplace(key, std::move(enrolment));
}

void PersonSteps::give_trigger(const EventKey& key, const engine::Data& envelope) {
  for (auto& run : person_.runs)
    if (stored_.at(run.id).trigger == key && !run.trigger) run.trigger = envelope;
}

std::set<Uuid> PersonSteps::entered_workflows() const {
  std::set<Uuid> workflows;
  for (const auto& input : inputs_) {
    if (const auto* happened = std::get_if<HappenedEvent>(&input.what)) {
      const auto started = definitions_.started_by.find(happened->event.kind);
      if (started != definitions_.started_by.end())
        workflows.insert(started->second.begin(), started->second.end());
    } else if (const auto* schedule = std::get_if<ScheduleStart>(&input.what)) {
      workflows.insert(schedule->workflow);
    } else if (const auto* adoption = std::get_if<Adoption>(&input.what)) {
      for (const auto& one : adoption->enrolments) workflows.insert(one.workflow);
    } else if (std::holds_alternative<Handover>(input.what)) {
      for (const auto& [id, workflow] : definitions_.workflows) workflows.insert(id);
    }
  }
  return workflows;
}

std::set<std::pair<Uuid, std::int64_t>> PersonSteps::versions() const {
  std::set<std::pair<Uuid, std::int64_t>> versions;
  for (const auto& run : person_.runs) versions.emplace(run.workflow, run.version);
  for (const auto& input : inputs_) {
    const auto* command = std::get_if<RunCommand>(&input.what);
    if (command == nullptr || command->command.version == 0) continue;
    const auto run = std::ranges::find(person_.runs, command->run, &Run::id);
    if (run != person_.runs.end()) versions.emplace(run->workflow, command->command.version);
  }
  return versions;
}

std::set<EventKey> PersonSteps::triggers() const {
  std::set<Uuid> readers;  // workflows of which some version here reads the trigger
  for (const auto& version : versions()) {
    const auto facts = definitions_.facts.find(version);
    if (facts != definitions_.facts.end() && facts->second.reads_trigger)
      readers.insert(version.first);
  }
  std::set<EventKey> keys;
  for (const auto& run : person_.runs) {
    const auto& trigger = stored_.at(run.id).trigger;
    if (trigger && !run.trigger && readers.contains(run.workflow)) keys.insert(*trigger);
  }
  return keys;
}

// Leaves out runs whose version cannot be used: they stay as they are.
void PersonSteps::hold_unusable() {
  std::erase_if(person_.runs, [&](const Run& run) {
    if (definitions_.has_version(run.workflow, run.version)) return false;
    stored_.erase(run.id);
    return true;
  });
}

void PersonSteps::step() {
  if (next_ == 0) hold_unusable();
  needs_.clear();
  for (; next_ < inputs_.size(); ++next_) {
    const Input& input = inputs_[next_];
    if (auto reaction = react(input)) {
      if (!reaction->needs.empty()) {
        needs_ = std::move(reaction->needs);
        return;
      }
      accept(*std::move(reaction), input);
    }
    facts_.histories.clear();  // the next input sees more events
  }
}

std::optional<Reaction> PersonSteps::react(const Input& input) {
  if (std::holds_alternative<Erasure>(input.what)) {
    forget();
  } else if (const auto* handover = std::get_if<Handover>(&input.what)) {
    Reaction lacking{.person = person_, .actions = {}, .needs = withdrawals()};
    if (!lacking.needs.empty()) return lacking;
    hand_over(*handover, input);
  } else if (const auto* adoption = std::get_if<Adoption>(&input.what)) {
    adopt(*adoption, input);
  } else if (const auto* failure = std::get_if<Failure>(&input.what)) {
    fail(*failure);
  } else if (!exists_) {
    if (const auto* happened = std::get_if<HappenedEvent>(&input.what))
      follow_merge(*happened, input);
  } else if (const auto* happened = std::get_if<HappenedEvent>(&input.what)) {
    return react_to(*happened);
  } else if (const auto* timer = std::get_if<FiredTimer>(&input.what)) {
    return react_to(*timer, input);
  } else if (const auto* command = std::get_if<RunCommand>(&input.what)) {
    return engine::obey(person_, command->run, command->command, input.now, definitions_.workflows,
                        facts_);
  } else if (const auto* schedule = std::get_if<ScheduleStart>(&input.what)) {
    return react_to(*schedule, input);
  }
  return std::nullopt;
}

// An event that meets a merged contact goes to the contact that it was merged into. One that came
// so and meets an erased contact is forgotten: it was appended when the events of the contact had
// been cleared already.
void PersonSteps::follow_merge(const HappenedEvent& happened, const Input& input) {
  if (!happened.follows_merge) return;
  if (!merged_into_) {
    if (!happened.key) forget();
    return;
  }
  appended_.push_back({.account = owner_.account,
                       .lane = events::lane_of(owner_.account, *merged_into_),
                       .contact = merged_into_,
                       .kind = std::string{kForward},
                       .occurred_at = happened.event.occurred_at,
                       .trigger = happened.event.may_start  ? "all"
                                  : happened.event.may_exit ? "exits"
                                                            : "none",
                       .hops = input.hops,
                       .payload = forward_to_json(happened)});
}

std::optional<Reaction> PersonSteps::react_to(const HappenedEvent& happened) {
  return engine::react(person_, happened.event, definitions_.workflows, facts_);
}

std::optional<Reaction> PersonSteps::react_to(const FiredTimer& timer, const Input& input) {
  const auto stored = stored_.find(timer.run);
  // A timer that is not the run's armed one was replaced by an earlier one, or has fired before.
  if (stored == stored_.end() || stored->second.timer_at != timer.due_at) return std::nullopt;
  Reaction reaction = engine::fire(person_, timer.run, input.now, definitions_.workflows, facts_);
  if (reaction.needs.empty()) {  // the timer is armed again if needed
    stored->second.timer_at.reset();
    fired_.insert(timer.run);
  }
  return reaction;
}

std::optional<Reaction> PersonSteps::react_to(const ScheduleStart& start, const Input& input) {
  const auto found = definitions_.workflows.find(start.workflow);
  if (found == definitions_.workflows.end() || found->second.active_version != start.version)
    return std::nullopt;
  const engine::Workflow& workflow = found->second;
  const auto& schedule = workflow.version(start.version).trigger.schedule;
  if (schedule && schedule->becomes_true) {
    auto [holds, needs] = engine::holds_on_schedule(person_, start.workflow, start.time,
                                                    definitions_.workflows, facts_);
    if (!needs.empty())
      return Reaction{.person = person_, .actions = {}, .needs = std::move(needs)};
    if (!holds || is_held(start.workflow) || start.is_baseline) {
      note_held(start.workflow, holds, input.now);
      return std::nullopt;
    }
  }
  Reaction reaction = engine::start_on_schedule(person_, start.workflow, start.time,
                                                definitions_.workflows, facts_);
  // Not before: a step that lacks facts is repeated.
  if (schedule && schedule->becomes_true && reaction.needs.empty())
    note_held(start.workflow, true, input.now);
  return reaction;
}

bool PersonSteps::is_held(const Uuid& workflow) const {
  const auto held = held_.find(workflow);
  return held != held_.end() && !held->second.ended_at;
}

void PersonSteps::note_held(const Uuid& workflow, bool holds, Instant now) {
  if (holds == is_held(workflow)) return;
  if (!holds) {
    held_.at(workflow).ended_at = now;
    return;
  }
  held_[workflow] = {.workflow = workflow,
                     .key = std::string{kHeldKey},
                     .run = Uuid::v7(now),
                     .started_at = now,
                     .ended_at = {},
                     .seen = {}};
}

void PersonSteps::accept(Reaction reaction, const Input& input) {
  const auto* happened = std::get_if<HappenedEvent>(&input.what);
  for (auto& run : reaction.person.runs) {
    const auto before = std::ranges::find(person_.runs, run.id, &Run::id);
    const bool is_new = before == person_.runs.end();
    const bool is_restarted = !is_new && before->trigger.json().data() != run.trigger.json().data();
    if ((is_new || is_restarted) && happened != nullptr) triggers_[run.id] = happened->key;
    if (!run.is_open() && (is_new || before->is_open())) ended_at_[run.id] = input.now;
    if (run.state != engine::RunState::ended) continue;
    ended_at_.try_emplace(run.id, input.now);  // it may have been done before this batch
    ended_.push_back(run);
  }
  std::erase_if(reaction.person.runs,
                [](const Run& run) { return run.state == engine::RunState::ended; });
  for (auto& action : reaction.actions)
    acted_.push_back({.action = std::move(action),
                      .now = input.now,
                      .hops = input.hops,
                      .purchase = happened == nullptr ? "" : happened->purchase});
  person_ = std::move(reaction.person);
}

void PersonSteps::forget() {
  erased_ = true;
  exists_ = false;
  person_.runs.clear();
  person_.enrolments.clear();
  acted_.clear();
  ended_.clear();
}

// The planned messages of all runs, unless it is known whether they could be withdrawn.
std::vector<engine::Need> PersonSteps::withdrawals() const {
  std::vector<engine::Need> needs;
  for (const auto& run : person_.runs)
    if (run.message && !facts_.withdrawn.contains(*run.message))
      needs.emplace_back(engine::WithdrawNeed{.message = *run.message, .reason = "merged"});
  return needs;
}

void PersonSteps::hand_over(const Handover& handover, const Input& input) {
  exists_ = false;
  if (!merged_into_) merged_into_ = handover.into;  // else that contact was merged since
  is_handed_over_ = true;
  std::vector<Uuid> open;
  open.reserve(person_.runs.size());
  for (const auto& run : person_.runs) open.push_back(run.id);
  // A message that a sender has claimed stays claimed; the run ends all the same.
  for (const auto& run : open) {
    Reaction reaction = engine::obey(
        person_, run, {.kind = engine::Command::Kind::end, .why = "merged", .nodes = {}}, input.now,
        definitions_.workflows, facts_);
    accept(std::move(reaction), input);
  }
  for (auto& run : person_.runs) {
    run.state = engine::RunState::ended;
    run.why = "merged";
    run.message.reset();
    ended_at_.try_emplace(run.id, input.now);
    ended_.push_back(run);
  }
  person_.runs.clear();
  if (person_.enrolments.empty()) return;
  for (auto& enrolment : person_.enrolments)
    if (!enrolment.ended_at) enrolment.ended_at = input.now;
  pass_on(person_.enrolments, handover.into, input.now);
}

void PersonSteps::pass_on(const std::vector<engine::Enrolment>& enrolments, const Uuid& into,
                          Instant at) {
  appended_.push_back({.account = owner_.account,
                       .lane = events::lane_of(owner_.account, into),
                       .contact = into,
                       .kind = std::string{kAdopt},
                       .occurred_at = at,
                       .payload = adoption_to_json(enrolments)});
}

// Keeps the contact's own enrolments; adds those that it lacks. A contact that was merged meanwhile
// passes them on; one that was erased forgets them.
void PersonSteps::adopt(const Adoption& adoption, const Input& input) {
  if (!exists_) {
    if (merged_into_)
      pass_on(adoption.enrolments, *merged_into_, input.now);
    else
      forget();
    return;
  }
  for (const auto& one : adoption.enrolments) {
    // The nodes that the merged contact has passed are counted already.
    for (auto& run : person_.runs)
      if (run.workflow == one.workflow) run.seen.insert(one.seen.begin(), one.seen.end());
    const bool has = std::ranges::any_of(person_.enrolments, [&](const engine::Enrolment& mine) {
      return mine.workflow == one.workflow && mine.key == one.key;
    });
    if (!has) person_.enrolments.push_back(one);
  }
}

void PersonSteps::fail(const Failure& failure) {
  const auto run = std::ranges::find(person_.runs, failure.run, &Run::id);
  if (run == person_.runs.end()) return;
  run->state = engine::RunState::parked;
  run->due_at.reset();
  run->why = failure.why;
}

bool PersonSteps::acts_outward() const {
  return std::ranges::any_of(acted_, [](const Acted& acted) {
    return std::holds_alternative<engine::SendWebhook>(acted.action) ||
           std::holds_alternative<engine::ChangeContact>(acted.action);
  });
}

bool PersonSteps::plans(const Uuid& message) const {
  return std::ranges::any_of(acted_, [&](const Acted& acted) {
    const auto* planned = std::get_if<engine::PlanMessage>(&acted.action);
    return planned != nullptr && planned->id == message;
  });
}

}  // namespace shopbell::automation
