#include <algorithm>

#include "engine/merge_patch.h"
#include "engine/rehearsal.h"
#include "engine/schedule.h"
#include "json/writer.h"

namespace shopbell::engine {

bool Rehearsal::holds_now(const Trigger& trigger) {
  View view{.now = now_, .zone = zone(), .contact = person_.contact, .store = person_.store};
  std::vector<Need> needs;
  view.facts = &facts_;
  view.needs = &needs;
  bool holds = matches(trigger.where, view);
  while (!needs.empty()) {
    for (const auto& need : std::exchange(needs, {})) provide(need);
    holds = matches(trigger.where, view);
  }
  return holds;
}

Zone Rehearsal::zone_of(const Schedule& schedule) const {
  return schedule.in_store_zone ? engine::zone_of(text_at(person_.store, "timeZone"), "UTC")
                                : zone();
}

// Notes the next time of the workflow's schedule, if it has one.
void Rehearsal::plan_schedule(const Workflow& workflow) {
  schedules_.erase(workflow.id);
  if (workflow.active_version == 0) return;
  const auto& schedule = workflow.version(workflow.active_version).trigger.schedule;
  if (!schedule) return;
  if (const auto at = next_time(*schedule, zone_of(*schedule), now_)) schedules_[workflow.id] = *at;
}

void Rehearsal::begin_schedule(const Workflow& workflow) {
  held_before_.erase(workflow.id);
  plan_schedule(workflow);
  if (!schedules_.contains(workflow.id)) return;
  // Contacts for which the condition holds already are left out, unless the schedule says so.
  const Trigger& trigger = workflow.version(workflow.active_version).trigger;
  held_before_[workflow.id] = !trigger.schedule->include_existing && holds_now(trigger);
}

// Notes the conditions that no longer hold, so that they can become true again.
void Rehearsal::watch_schedules() {
  for (auto& [id, held] : held_before_) {
    const Workflow& workflow = workflows_.at(id);
    if (held) held = holds_now(workflow.version(workflow.active_version).trigger);
  }
}

void Rehearsal::check_schedules(const Workflow& workflow) {
  const Trigger& trigger = workflow.version(workflow.active_version).trigger;
  const Zone local = zone_of(*trigger.schedule);
  plan_schedule(workflow);
  const std::string date = to_rfc3339(std::chrono::sys_days{local_date(local, now_)}).substr(0, 10);
  const bool holds = holds_now(trigger);
  const bool held = std::exchange(held_before_[workflow.id], holds);
  if (!holds || (trigger.schedule->becomes_true && held)) return;
  const ScheduleTime time{.uid = {}, .now = now_, .date = date};
  apply([&] { return start_on_schedule(person_, workflow.id, time, workflows_, facts_); });
  handle_queue();
}

void Rehearsal::for_runs_of(const Uuid& workflow, const std::function<void(const Uuid&)>& run) {
  std::vector<Uuid> ids;
  for (const auto& one : person_.runs)
    if (one.workflow == workflow) ids.push_back(one.id);
  for (const auto& id : ids) run(id);
  handle_queue();
}

void Rehearsal::pause(const Uuid& workflow) { workflows_.at(workflow).paused = true; }

void Rehearsal::resume(const Uuid& workflow) {
  workflows_.at(workflow).paused = false;
  for_runs_of(workflow, [&](const Uuid& run) {
    const auto found = std::ranges::find(person_.runs, run, &Run::id);
    if (found->state != RunState::held) return;
    apply([&] {
      return obey(person_, run, {.kind = Command::Kind::release, .why = {}, .nodes = {}}, now_,
                  workflows_, facts_);
    });
  });
}

void Rehearsal::release_runs(const Uuid& workflow) {
  for_runs_of(workflow, [&](const Uuid& run) {
    apply([&] {
      return obey(person_, run, {.kind = Command::Kind::release, .why = {}, .nodes = {}}, now_,
                  workflows_, facts_);
    });
  });
}

void Rehearsal::end_runs(const Uuid& workflow) {
  for_runs_of(workflow, [&](const Uuid& run) {
    apply([&] {
      return obey(person_, run, {.kind = Command::Kind::end, .why = "ended", .nodes = {}}, now_,
                  workflows_, facts_);
    });
  });
}

void Rehearsal::publish(const Uuid& workflow, std::shared_ptr<const Definition> definition,
                        std::map<std::string, std::string, std::less<>> nodes) {
  Workflow& published = workflows_.at(workflow);
  const std::int64_t version = definition->version;
  published.versions[version] = std::move(definition);
  published.active_version = version;
  begin_schedule(published);
  const Command command{
      .kind = Command::Kind::move, .why = {}, .version = version, .nodes = std::move(nodes)};
  for_runs_of(workflow, [&](const Uuid& run) {
    apply([&] { return obey(person_, run, command, now_, workflows_, facts_); });
  });
}

void Rehearsal::change_contact(const std::string& patch) {
  const Data changes{patch};
  const Data before = person_.contact;
  person_.contact = Data{merged(*before.root(), *changes.root())};
  note_change(before, 0);
  handle_queue();
}

// Adds the event of a change of the contact, and computes the schedules' local times again.
void Rehearsal::note_change(const Data& before, int hops) {
  std::vector<std::string> changed;
  const auto compare = [&](const std::string& prefix, const json::Value& one,
                           const std::optional<json::Value>& other) {
    one.for_each([&](std::string_view name, const json::Value& member) {
      const auto same = other ? other->member(name) : std::nullopt;
      const std::string path = prefix + std::string{name};
      if (path == "fields" || std::ranges::contains(changed, path)) return;
      if (!same || same->to_json() != member.to_json()) changed.push_back(path);
    });
  };
  const auto old_values = before.root();
  const auto new_values = person_.contact.root();
  for (const auto& [one, other] : {std::pair{old_values, new_values}, {new_values, old_values}}) {
    compare("", *one, other);
    if (const auto fields = one->member("fields"))
      compare("fields.", *fields, other->member("fields"));
  }
  if (changed.empty()) return;
  if (std::ranges::contains(changed, "timeZone"))
    for (const auto& [id, workflow] : workflows_) plan_schedule(workflow);
  json::Writer writer;
  writer.begin_object().key("changed").begin_list();
  for (const auto& name : changed) writer.text(name);
  writer.end();
  queue_.push_back(event_of("contact.updated", writer.end().finish()));
  queue_.back().hops = hops;
}

}  // namespace shopbell::engine
