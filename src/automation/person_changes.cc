// The rows to write for one contact: the difference between its loaded rows and its state after the
// last input.
#include <algorithm>
#include <format>
#include <ranges>

#include "automation/person_steps.h"
#include "json/writer.h"

namespace shopbell::automation {

using engine::Run;
using engine::RunState;

namespace {

// True if the row of the run must be written.
bool differs(const Run& one, const Run& other) {
  return !one.trail.empty() || one.state != other.state || one.node != other.node ||
         one.due_at != other.due_at || one.version != other.version ||
         one.message != other.message || one.delivery != other.delivery ||
         one.converted != other.converted || one.has_sent != other.has_sent ||
         one.seen != other.seen || one.why != other.why || one.subjects != other.subjects ||
         one.coupons.size() != other.coupons.size() ||
         one.variables.size() != other.variables.size();
}

std::int64_t priority_of(const AccountWorkflows& definitions, const Uuid& workflow) {
  const auto found = definitions.workflows.find(workflow);
  return found == definitions.workflows.end() ? 0 : found->second.priority;
}

bool has_timer(const Run& run) {
  return run.due_at && (run.state == RunState::open || run.state == RunState::done);
}

}  // namespace

const Run* PersonSteps::find_now(const Uuid& run) const {
  for (const auto* runs : {&person_.runs, &ended_})
    if (const auto found = std::ranges::find(*runs, run, &Run::id); found != runs->end())
      return &*found;
  return nullptr;
}

StoredRun PersonSteps::row_of(const Run& run) const {
  const auto stored = stored_.find(run.id);
  StoredRun row;
  if (stored != stored_.end()) row = stored->second;
  row.owner = owner_;
  row.lane = lane_;
  row.run = run;
  if (const auto trigger = triggers_.find(run.id); trigger != triggers_.end()) {
    row.trigger = trigger->second;
    row.copied.reset();
    if (!trigger->second) row.copied = run.trigger.json();
  }
  if (stored == stored_.end()) {
    const auto enrolment = std::ranges::find(person_.enrolments, run.id, &engine::Enrolment::run);
    if (enrolment != person_.enrolments.end()) row.enrolment_key = enrolment->key;
  }
  return row;
}

void PersonSteps::add_timers(StoredRun& row, Writes& writes) const {
  if (!has_timer(row.run)) return;
  // The armed timer comes first and arms the next one.
  if (row.timer_at && *row.timer_at <= *row.run.due_at) return;
  row.timer_at = row.run.due_at;
  writes.timers.push_back({.group = static_cast<std::int16_t>(lane_ >> 4),
                           .due_at = *row.run.due_at,
                           .owner = owner_,
                           .run = row.run.id});
}

// How many waiting runs one unit of the product releases.
std::int64_t PersonSteps::per_unit_of(const Run& run, std::string_view subject) const {
  if (!definitions_.has_version(run.workflow, run.version)) return 0;
  const auto* node = definitions_.workflows.at(run.workflow).version(run.version).find(run.node);
  const auto* wait = node == nullptr ? nullptr : std::get_if<engine::WaitForEvent>(&node->what);
  if (wait == nullptr) return 0;
  for (std::size_t i = 0; i < wait->events.size() && i < run.subjects.size(); ++i)
    if (run.subjects[i] == subject) return wait->events[i].release_per_unit;
  return 0;
}

void PersonSteps::add_waits(const Run* before, const Run& after, Writes& writes) const {
  const auto waits_of = [&](const Run& run) {
    std::set<std::pair<std::string, Instant>> waits;
    for (const auto& subject : run.subjects)
      if (!subject.empty() && run.state == RunState::open) waits.emplace(subject, run.node_since);
    return waits;
  };
  const auto old_waits =
      before == nullptr ? std::set<std::pair<std::string, Instant>>{} : waits_of(*before);
  const auto new_waits = waits_of(after);
  const auto add = [&](const auto& waits, const auto& others, std::vector<SubjectWait>& rows) {
    for (const auto& wait : waits)
      if (!others.contains(wait))
        rows.push_back({.owner = owner_,
                        .lane = lane_,
                        .subject = wait.first,
                        .since = wait.second,
                        .run = after.id,
                        .per_unit = per_unit_of(after, wait.first)});
  };
  add(new_waits, old_waits, writes.waits);
  add(old_waits, new_waits, writes.waits_over);
}

void PersonSteps::add_runs(Writes& writes) const {
  for (const auto& run : person_.runs) {
    const auto stored = stored_.find(run.id);
    const bool is_new = stored == stored_.end() || stored->second.seq == 0;
    if (!is_new && !fired_.contains(run.id) && !triggers_.contains(run.id) &&
        !differs(run, stored->second.run))
      continue;
    StoredRun row = row_of(run);
    add_timers(row, writes);
    add_waits(is_new ? nullptr : &stored->second.run, run, writes);
    (is_new ? writes.started : writes.moved).push_back(std::move(row));
  }
  for (const auto& run : ended_) {
    const auto stored = stored_.find(run.id);
    add_waits(stored == stored_.end() ? nullptr : &stored->second.run, run, writes);
    writes.ended.push_back({.run = row_of(run), .at = ended_at_.at(run.id)});
  }
}

void PersonSteps::add_enrolments(Writes& writes) const {
  if (is_handed_over_) {  // the other contact adopts them
    writes.merged.emplace(owner_, *merged_into_);
    return;
  }
  std::vector<engine::Enrolment> all = person_.enrolments;
  for (const auto& [workflow, held] : held_) all.push_back(held);
  for (const auto& one : all) {
    const auto stored = enrolled_.find({one.workflow, one.key});
    if (stored != enrolled_.end() && stored->second.enrolment.run == one.run) continue;
    NewEnrolment added{.row = {.owner = owner_, .lane = lane_, .enrolment = one}, .replaces = {}};
    if (stored != enrolled_.end()) added.replaces = stored->second.enrolment.run;
    if (const Run* run = find_now(one.run)) added.row.enrolment.seen = run->seen;
    writes.enrolled.push_back(std::move(added));
  }
  for (const auto& [workflow, held] : held_) {
    const auto stored = enrolled_.find({workflow, std::string{kHeldKey}});
    if (stored == enrolled_.end() || !held.ended_at || stored->second.enrolment.ended_at) continue;
    writes.left.push_back({.owner = owner_,
                           .workflow = workflow,
                           .key = std::string{kHeldKey},
                           .run = held.run,
                           .at = *held.ended_at,
                           .seen = {}});
  }
  // Enrolments that were stored before end with their run.
  for (const auto& [id, at] : ended_at_) {
    const auto stored = stored_.find(id);
    const Run* run = find_now(id);
    if (stored == stored_.end() || run == nullptr) continue;
    writes.left.push_back({.owner = owner_,
                           .workflow = run->workflow,
                           .key = stored->second.enrolment_key,
                           .run = id,
                           .at = at,
                           .seen = run->seen});
  }
}

void PersonSteps::add_event(Writes& writes, std::string kind, const Run& run, Instant at,
                            std::string_view reason) const {
  json::Writer writer;
  writer.begin_object().key("runId").text(run.id.to_string());
  writer.key("workflowId").text(run.workflow.to_string());
  writer.key("version").integer(run.version);
  if (!reason.empty()) writer.key("reason").text(reason);
  writes.events.push_back({.account = owner_.account,
                           .lane = lane_,
                           .contact = owner_.contact,
                           .kind = std::move(kind),
                           .occurred_at = at,
                           .hops = hops_ + 1,
                           .payload = writer.end().finish()});
}

// A purchase counts for one run: if it converts several, for the one that started last.
void PersonSteps::add_conversion(Writes& writes, const Run& run,
                                 const std::string& purchase) const {
  auto& converted = writes.purchases[{owner_.account, purchase}];
  if (!converted || converted->started_at <= run.started_at)
    converted = ConvertedRun{.workflow = run.workflow, .run = run.id, .started_at = run.started_at};
}

void PersonSteps::add_actions(Writes& writes) const {
  for (const auto& [action, now, hops, purchase] : acted_) {
    if (const auto* message = std::get_if<engine::PlanMessage>(&action)) {
      const Run* run = find_now(message->run);
      if (run == nullptr || run->message != message->id) continue;  // planned and ended here
      const auto facts = definitions_.facts.find({run->workflow, run->version});
      writes.messages.push_back({.owner = owner_,
                                 .lane = lane_,
                                 .workflow = run->workflow,
                                 .priority = priority_of(definitions_, run->workflow),
                                 .message = *message,
                                 .send_rules = facts == definitions_.facts.end()
                                                   ? std::nullopt
                                                   : facts->second.send_rules,
                                 .at = now,
                                 .is_bulk = !run->schedule_date.empty()});
    } else if (const auto* webhook = std::get_if<engine::SendWebhook>(&action)) {
      const Run* run = find_now(webhook->run);
      if (run != nullptr)
        writes.webhooks.push_back({.owner = owner_,
                                   .lane = lane_,
                                   .workflow = run->workflow,
                                   .node = run->node,
                                   .webhook = *webhook});
    } else if (const auto* change = std::get_if<engine::ChangeContact>(&action)) {
      writes.changes.push_back({.owner = owner_,
                                .patch = change->patch,
                                .hops = change->hops,
                                .account = &definitions_});
    } else if (const auto* event = std::get_if<engine::AppendEvent>(&action)) {
      writes.events.push_back({.account = owner_.account,
                               .lane = lane_,
                               .contact = owner_.contact,
                               .kind = event->kind,
                               .occurred_at = now,
                               .hops = event->hops,
                               .payload = event->payload});
    } else if (const auto* coupon = std::get_if<engine::ReleaseCoupon>(&action)) {
      writes.coupons_released.emplace_back(owner_.account, coupon->claim);
    } else if (const auto* person = std::get_if<engine::CountPerson>(&action)) {
      ++writes.counts[{owner_.account, person->workflow, person->node,
                       person->edge.empty() ? "reached" : person->edge}];
    } else if (const auto* refused = std::get_if<engine::RefuseStart>(&action)) {
      ++writes.counts[{owner_.account, refused->workflow, "", "refused." + refused->reason}];
    } else if (const auto* conversion = std::get_if<engine::Convert>(&action)) {
      const Run* run = find_now(conversion->run);
      if (run == nullptr) continue;
      add_event(writes, "workflow.converted", *run, now, "");
      if (!purchase.empty()) add_conversion(writes, *run, purchase);
    }
  }
}

// People who are at a node or in a workflow, before and after; and the events of their runs.
void PersonSteps::add_numbers(Writes& writes) const {
  using Place = std::pair<Uuid, std::string>;
  const auto places_of = [](const auto& runs, auto run_of) {
    std::set<Place> places;
    for (const auto& one : runs) {
      const Run& run = *run_of(one);
      if (!run.is_open()) continue;
      places.emplace(run.workflow, run.node);
      places.emplace(run.workflow, "");
    }
    return places;
  };
  const auto before = places_of(stored_, [](const auto& one) { return &one.second.run; });
  const auto after = places_of(person_.runs, [](const Run& run) { return &run; });
  const auto count = [&](const std::set<Place>& some, const std::set<Place>& others, int delta) {
    for (const auto& place : some)
      if (!others.contains(place))
        writes.counts[{owner_.account, place.first, place.second,
                       place.second.empty() ? "active" : "waiting"}] += delta;
  };
  count(before, after, -1);
  count(after, before, 1);
  const auto tell = [&](const Run& run) {
    const auto stored = stored_.find(run.id);
    if (stored == stored_.end()) add_event(writes, "workflow.entered", run, run.started_at, "");
    const bool was_open = stored == stored_.end() || stored->second.run.is_open();
    if (!was_open || run.is_open()) return;
    const bool is_completed = run.why == "completed";
    add_event(writes, is_completed ? "workflow.completed" : "workflow.exited", run,
              ended_at_.at(run.id), is_completed ? "" : run.why);
  };
  for (const auto& run : person_.runs) tell(run);
  for (const auto& run : ended_) tell(run);
}

void PersonSteps::add_to(Writes& writes) const {
  if (erased_) {
    writes.erased.insert(owner_);
    add_numbers(writes);
    return;
  }
  add_runs(writes);
  add_enrolments(writes);
  add_actions(writes);
  add_numbers(writes);
  for (const auto& event : appended_) writes.events.push_back(event);
}

}  // namespace shopbell::automation
