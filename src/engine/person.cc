#include "engine/person.h"

#include <algorithm>
#include <array>
#include <format>
#include <iterator>
#include <optional>

#include "engine/derive.h"
#include "engine/view.h"

namespace shopbell::engine {

namespace {

// Reacting: applies one input to a person, and collects the result.
class Reacting {
 public:
  Reacting(const Person& person, Instant now, int hops, const Workflows& workflows,
           const Facts& facts)
      : workflows_{workflows}, facts_{facts}, now_{now}, hops_{hops} {
    reaction_.person = person;
  }

  Person& person() { return reaction_.person; }
  Reaction result();

  StepContext context(const Workflow& workflow, std::int64_t version) const;
  StepContext context_of(const Run& run) const {
    return context(workflows_.at(run.workflow), run.version);
  }
  // Calls step(context, run) for the runs that are there now.
  template <class Step>
  void step_all(const Event& event, Step step) {
    for (auto& run : person().runs)
      if (event.only.empty() || event.only.contains(run.id)) step_one(run, step);
  }
  template <class Step>
  void step_one(Run& run, Step step) {
    if (run.state != RunState::ended) accept(run, step(context_of(run), run));
  }

  void start_on(const Event& event);
  void start_at(const Workflow& workflow, const ScheduleTime& time);
  Holding holds_at(const Workflow& workflow, const ScheduleTime& time);

 private:
  struct Entry {
    std::string run_key;
    std::string enrolment_key;
    Data item;
  };

  template <class Each>
  void for_each_trigger(const Event& event, Each each);
  void accept(Run& run, StepResult result);
  void close_enrolment(const Run& run);
  void hand_on(const Run& ended);
  bool is_counted(const Run& run, const CountPerson& count) const;
  void refuse(const Workflow& workflow, std::string reason);
  View view(const Event* event) const;
  std::vector<Entry> entries_on(const Workflow& workflow, const Definition& definition,
                                const View& view, const Event* event);
  std::vector<Entry> entries_of(const Definition& definition, const View& view,
                                const Event* event) const;
  void enter(const Workflow& workflow, const Definition& definition, const Entry& entry,
             const View& view, const Uuid& cause, const Event* event);
  std::optional<std::string> refusal(const Workflow& workflow, const Definition& definition,
                                     const Entry& entry, const View& view) const;
  Run* open_run(const Workflow& workflow, const std::string& key);

  const Workflows& workflows_;
  const Facts& facts_;
  const Instant now_;
  const int hops_;
  mutable std::vector<Need> needs_;  // conditions add to them while they only read
  Reaction reaction_;
};

StepContext Reacting::context(const Workflow& workflow, std::int64_t version) const {
  return {.account = reaction_.person.account,
          .contact_id = reaction_.person.contact_id,
          .definition = &workflow.version(version),
          .contact = reaction_.person.contact,
          .store = reaction_.person.store,
          .now = now_,
          .hops = hops_,
          .paused = workflow.paused,
          .facts = &facts_};
}

void Reacting::accept(Run& run, StepResult result) {
  std::ranges::move(result.needs, std::back_inserter(needs_));
  for (auto& action : result.actions) {
    const auto* count = std::get_if<CountPerson>(&action);
    if (count == nullptr || !is_counted(result.run, *count))
      reaction_.actions.push_back(std::move(action));
  }
  reaction_.person.contact = std::move(result.contact);
  run = std::move(result.run);
  if (!run.is_open()) close_enrolment(run);
  if (run.state == RunState::ended) hand_on(run);
}

// An ended run is not loaded any more. The other runs of this person remember what it has passed,
// so that it is not counted again.
void Reacting::hand_on(const Run& ended) {
  for (auto& other : person().runs)
    if (other.id != ended.id && other.workflow == ended.workflow)
      other.seen.insert(ended.seen.begin(), ended.seen.end());
}

// Notes the end of the run, so that the same event can start the next one.
void Reacting::close_enrolment(const Run& run) {
  for (auto& enrolment : person().enrolments) {
    if (enrolment.run != run.id) continue;
    if (!enrolment.ended_at) enrolment.ended_at = now_;
    enrolment.seen.insert(run.seen.begin(), run.seen.end());
  }
}

// Numbers are of people: a node or an edge that another run of this person has passed is counted.
bool Reacting::is_counted(const Run& run, const CountPerson& count) const {
  const auto has_passed = [&](const auto& other) {
    return other.workflow == run.workflow && other.seen.contains({count.node, count.edge});
  };
  return std::ranges::any_of(
             reaction_.person.runs,
             [&](const Run& other) { return other.id != run.id && has_passed(other); }) ||
         std::ranges::any_of(reaction_.person.enrolments, [&](const Enrolment& other) {
           return other.run != run.id && has_passed(other);
         });
}

void Reacting::refuse(const Workflow& workflow, std::string reason) {
  reaction_.actions.emplace_back(RefuseStart{workflow.id, std::move(reason)});
}

View Reacting::view(const Event* event) const {
  View view;
  view.now = now_;
  view.contact = reaction_.person.contact;
  view.store = reaction_.person.store;
  view.zone = zone_of(text_at(view.contact, "timeZone"), text_at(view.store, "timeZone"));
  if (event != nullptr) view.event = event->envelope;
  view.facts = &facts_;
  view.needs = &needs_;
  return view;
}

Run* Reacting::open_run(const Workflow& workflow, const std::string& key) {
  const auto found = std::ranges::find_if(person().runs, [&](const Run& run) {
    return run.workflow == workflow.id && run.is_open() && run.key == key;
  });
  return found == person().runs.end() ? nullptr : &*found;
}

// Returns a run for the event, or one for each item of the trigger's list. Without the key that the
// trigger asks for, returns none.
std::vector<Reacting::Entry> Reacting::entries_of(const Definition& definition, const View& view,
                                                  const Event* event) const {
  using Mode = Reentry::Mode;
  const Mode mode = definition.reentry.mode;
  std::string key;
  if (definition.trigger.key) {
    const auto read = text_of(view.read(*definition.trigger.key));
    if (!read || read->empty()) return {};
    key = *read;
  }
  const auto enrolment_key = [&](std::string_view index) -> std::string {
    if (mode == Mode::once || mode == Mode::after_exit) return {};
    std::string base = key;
    if (mode == Mode::always) base = event == nullptr ? view.schedule_date : event->uid.to_string();
    return index.empty() ? base : std::format("{}/{}", base, index);
  };
  if (!definition.trigger.each)
    return {{.run_key = key, .enrolment_key = enrolment_key(""), .item = {}}};
  std::vector<Entry> entries;
  const Value list = view.read(*definition.trigger.each);
  if (const auto* items = std::get_if<json::Value>(&list))
    items->for_each([&](std::string_view, const json::Value& item) {
      entries.push_back({.run_key = key,
                         .enrolment_key = enrolment_key(std::to_string(entries.size())),
                         .item = Data{item.to_json()}});
    });
  return entries;
}

std::optional<std::string> Reacting::refusal(const Workflow& workflow, const Definition& definition,
                                             const Entry& entry, const View& view) const {
  using Mode = Reentry::Mode;
  const Reentry& reentry = definition.reentry;
  for (const auto& enrolment : reaction_.person.enrolments) {
    if (enrolment.workflow != workflow.id) continue;
    if (reentry.cooldown && plus(view.zone, enrolment.started_at, *reentry.cooldown) > now_)
      return "cooldown";
    if (reentry.mode == Mode::after_exit) {
      if (!enrolment.ended_at) return "reentry";
      continue;
    }
    if (enrolment.key != entry.enrolment_key) continue;
    const bool is_free = reentry.mode == Mode::restart && enrolment.ended_at &&
                         reentry.release_after &&
                         plus(view.zone, *enrolment.ended_at, *reentry.release_after) <= now_;
    if (!is_free) return "reentry";
  }
  return std::nullopt;
}

void Reacting::enter(const Workflow& workflow, const Definition& definition, const Entry& entry,
                     const View& view, const Uuid& cause, const Event* event) {
  if (const auto reason = refusal(workflow, definition, entry, view))
    return refuse(workflow, *reason);
  const std::string account = std::to_string(person().account);
  const std::string contact = person().contact_id.to_string();
  const std::string workflow_id = workflow.id.to_string();
  // A batch of events has one time: the run before may have started and ended in it.
  Run run{.id = derived_id(now_,
                           std::array<std::string_view, 6>{"run", account, contact, workflow_id,
                                                           entry.enrolment_key, cause.to_string()}),
          .workflow = workflow.id,
          .version = definition.version,
          .key = entry.run_key,
          .item = entry.item};
  if (event != nullptr) run.trigger = event->envelope;
  run.schedule_date = view.schedule_date;
  auto& enrolments = person().enrolments;
  // What any earlier run of this person has passed is counted.
  for (const auto& earlier : enrolments)
    if (earlier.workflow == workflow.id) run.seen.insert(earlier.seen.begin(), earlier.seen.end());
  std::erase_if(enrolments, [&](const Enrolment& earlier) {
    return earlier.workflow == workflow.id && earlier.key == entry.enrolment_key;
  });
  enrolments.push_back({.workflow = workflow.id,
                        .key = entry.enrolment_key,
                        .run = run.id,
                        .started_at = now_,
                        .ended_at = {},
                        .seen = {}});
  accept(person().runs.emplace_back(), engine::start(context(workflow, definition.version), run));
}

// Returns the entries of the trigger; none if it refuses the event.
std::vector<Reacting::Entry> Reacting::entries_on(const Workflow& workflow,
                                                  const Definition& definition, const View& view,
                                                  const Event* event) {
  if (!matches(definition.trigger.where, view)) return {};
  std::string why;
  if (workflow.paused) {
    why = "paused";
  } else if (hops_ > kHopsMost) {
    why = "loop";
  } else if (event != nullptr &&
             plus(view.zone, event->occurred_at, definition.trigger.age_max) < event->received_at) {
    why = "tooOld";
  } else {
    std::vector<Entry> entries = entries_of(definition, view, event);
    if (!entries.empty() || definition.trigger.each) return entries;
    why = "noKey";
  }
  refuse(workflow, std::move(why));
  return {};
}

template <class Each>
void Reacting::for_each_trigger(const Event& event, Each each) {
  for (const auto& [id, workflow] : workflows_) {
    if (workflow.active_version == 0 || event.received_at < workflow.active_since) continue;
    const Definition& active = workflow.version(workflow.active_version);
    if (active.trigger.event == event.kind) each(workflow, active);
  }
}

void Reacting::start_on(const Event& event) {
  std::vector<std::pair<const Workflow*, Entry>> restarts;
  std::vector<std::pair<const Workflow*, Entry>> starts;
  for_each_trigger(event, [&](const Workflow& workflow, const Definition& active) {
    for (auto& entry : entries_on(workflow, active, view(&event), &event)) {
      const bool restarts_run =
          active.reentry.mode == Reentry::Mode::restart && open_run(workflow, entry.run_key);
      (restarts_run ? restarts : starts).emplace_back(&workflow, std::move(entry));
    }
  });
  for (const auto& [workflow, entry] : restarts) {
    Run& run = *open_run(*workflow, entry.run_key);
    accept(run, restart(context_of(run), run, event));
  }
  for (const auto& [workflow, entry] : starts)
    enter(*workflow, workflow->version(workflow->active_version), entry, view(&event), event.uid,
          &event);
}

void Reacting::start_at(const Workflow& workflow, const ScheduleTime& time) {
  View here = view(nullptr);
  here.schedule_date = time.date;
  const Definition& active = workflow.version(workflow.active_version);
  for (const auto& entry : entries_on(workflow, active, here, nullptr))
    enter(workflow, active, entry, here, time.uid, nullptr);
}

Holding Reacting::holds_at(const Workflow& workflow, const ScheduleTime& time) {
  View here = view(nullptr);
  here.schedule_date = time.date;
  const bool holds = matches(workflow.version(workflow.active_version).trigger.where, here);
  return {.holds = holds, .needs = std::move(needs_)};
}

Reaction Reacting::result() {
  reaction_.needs = std::move(needs_);
  return std::move(reaction_);
}

Run* find_run(Person& person, const Uuid& id) {
  const auto found = std::ranges::find(person.runs, id, &Run::id);
  return found == person.runs.end() ? nullptr : &*found;
}

}  // namespace

Reaction react(const Person& person, const Event& event, const Workflows& workflows,
               const Facts& facts) {
  Reacting reacting{person, event.received_at, event.hops, workflows, facts};
  const auto each = [&](auto step) {
    reacting.step_all(event, [&](const StepContext& context, const Run& run) {
      return step(context, run, event);
    });
  };
  each(take_goal);
  each(take_exit);
  each(take_event);
  if (event.may_start) reacting.start_on(event);
  return reacting.result();
}

Reaction fire(const Person& person, const Uuid& run, Instant now, const Workflows& workflows,
              const Facts& facts) {
  Reacting reacting{person, now, 0, workflows, facts};
  if (Run* due = find_run(reacting.person(), run)) reacting.step_one(*due, take_timer);
  return reacting.result();
}

Reaction start_on_schedule(const Person& person, const Uuid& workflow, const ScheduleTime& time,
                           const Workflows& workflows, const Facts& facts) {
  Reacting reacting{person, time.now, 0, workflows, facts};
  reacting.start_at(workflows.at(workflow), time);
  return reacting.result();
}

Holding holds_on_schedule(const Person& person, const Uuid& workflow, const ScheduleTime& time,
                          const Workflows& workflows, const Facts& facts) {
  Reacting reacting{person, time.now, 0, workflows, facts};
  return reacting.holds_at(workflows.at(workflow), time);
}

Reaction obey(const Person& person, const Uuid& run, const Command& command, Instant now,
              const Workflows& workflows, const Facts& facts) {
  Reacting reacting{person, now, 0, workflows, facts};
  Run* one = find_run(reacting.person(), run);
  if (one == nullptr) return reacting.result();
  switch (command.kind) {
    case Command::Kind::end:
      reacting.step_one(*one, [&](const StepContext& context, const Run& ended) {
        return end(context, ended, command.why);
      });
      break;
    case Command::Kind::release:
      reacting.step_one(*one, release);
      break;
    case Command::Kind::move: {
      const auto target = command.nodes.find(one->node);
      if (target == command.nodes.end()) break;  // stays on its version
      reacting.step_one(*one, [&](const StepContext&, const Run& moved) {
        return move(reacting.context(workflows.at(moved.workflow), command.version), moved,
                    target->second);
      });
      break;
    }
  }
  return reacting.result();
}

}  // namespace shopbell::engine
