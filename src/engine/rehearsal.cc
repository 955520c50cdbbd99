#include "engine/rehearsal.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>

#include "engine/derive.h"
#include "json/writer.h"

namespace shopbell::engine {

namespace {

constexpr int kRepetitions = 100;  // of a step that lacks facts
constexpr int kEventsAtOnce = 1000;

}  // namespace

Event Rehearsal::event_of(std::string kind, const std::string& data,
                          std::optional<Instant> occurred_at) {
  const std::string number = std::to_string(++events_);
  Event event{.uid = derived_id(now_, std::array<std::string_view, 2>{"event", number}),
              .kind = std::move(kind),
              .envelope = {},
              .occurred_at = occurred_at.value_or(now_),
              .received_at = now_};
  json::Writer writer;
  writer.begin_object();
  writer.key("id").text(event.uid.to_string());
  writer.key("kind").text(event.kind);
  writer.key("occurredAt").text(to_rfc3339(event.occurred_at));
  writer.key("receivedAt").text(to_rfc3339(event.received_at));
  writer.key("contactId").text(person_.contact_id.to_string());
  writer.key("data").json(data);
  event.envelope = Data{writer.end().finish()};
  return event;
}

Rehearsal::Rehearsal(Person person, Workflows workflows, Surroundings surroundings, Instant start)
    : person_{std::move(person)},
      workflows_{std::move(workflows)},
      surroundings_{std::move(surroundings)},
      now_{start} {
  facts_.objects = surroundings_.objects;
  for (const auto& [id, workflow] : workflows_) begin_schedule(workflow);
}

Zone Rehearsal::zone() const {
  return engine::zone_of(text_at(person_.contact, "timeZone"), text_at(person_.store, "timeZone"));
}

void Rehearsal::note(std::string what, std::string detail) {
  outcomes_.push_back({.at = now_, .what = std::move(what), .detail = std::move(detail)});
}

void Rehearsal::happen(const std::string& kind, const std::string& data, std::string_view triggers,
                       std::optional<Instant> occurred_at) {
  Event event = event_of(kind, data, occurred_at);
  event.may_start = triggers == "all";
  event.may_exit = triggers != "none";
  happen(std::move(event));
}

void Rehearsal::happen(Event event) {
  queue_.push_back(std::move(event));
  handle_queue();
}

void Rehearsal::handle_queue() {
  for (int handled = 0; !queue_.empty() || send_next(); ++handled) {
    if (handled == kEventsAtOnce) throw std::runtime_error{"the events cause each other forever"};
    if (queue_.empty()) continue;
    const Event event = std::move(queue_.front());
    queue_.pop_front();
    history_.push_back(event);
    facts_.histories.clear();
    apply([&] { return react(person_, event, workflows_, facts_); });
    watch_schedules();
  }
}

// Repeats the step until it has its facts, then performs its actions.
void Rehearsal::apply(const std::function<Reaction()>& react) {
  for (int i = 0; i < kRepetitions; ++i) {
    Reaction reaction = react();
    if (!reaction.needs.empty()) {
      for (const auto& need : reaction.needs) provide(need);
      continue;
    }
    const Person before = std::exchange(person_, std::move(reaction.person));
    for (const auto& action : reaction.actions) perform(action, before.contact);
    note_ends(before.runs);
    std::ranges::copy_if(person_.runs, std::back_inserter(ended_),
                         [](const Run& run) { return run.state == RunState::ended; });
    std::erase_if(person_.runs, [](const Run& run) { return run.state == RunState::ended; });
    return;
  }
  throw std::logic_error{"a step keeps asking for facts"};
}

void Rehearsal::note_ends(const std::vector<Run>& before) {
  for (const auto& run : person_.runs) {
    const auto same = std::ranges::find(before, run.id, &Run::id);
    const RunState was = same == before.end() ? RunState::open : same->state;
    const bool was_open = was != RunState::done && was != RunState::ended;
    if (run.state == RunState::parked && was != RunState::parked) note("park", run.why);
    if (was_open && !run.is_open()) note("end", run.why);
  }
}

std::optional<Instant> Rehearsal::next_due() const {
  std::optional<Instant> next;
  const auto take = [&](Instant at) { next = next ? std::min(*next, at) : at; };
  for (const auto& run : person_.runs)
    if (run.due_at && (run.state == RunState::open || run.state == RunState::done))
      take(*run.due_at);
  for (const auto& message : waiting_) take(message.at);
  for (const auto& [workflow, at] : schedules_) take(at);
  return next;
}

void Rehearsal::advance_to(Instant at) {
  for (auto due = next_due(); due && *due < at; due = next_due()) {
    now_ = std::max(now_, *due);
    fire_due();
  }
  now_ = std::max(now_, at);
}

bool Rehearsal::finish(Instant latest, int most) {
  for (auto due = next_due(); due && *due <= latest; due = next_due()) {
    if (person_.runs.empty() && waiting_.empty() && schedules_.empty()) return true;
    if (most-- == 0) return false;
    now_ = std::max(now_, *due);
    fire_due();
  }
  return true;
}

// Fires one thing that is due: a message before a timer, timers by their due time and run.
void Rehearsal::fire_due() {
  facts_.histories.clear();
  if (std::ranges::any_of(waiting_,
                          [&](const WaitingMessage& message) { return message.at <= now_; }))
    return handle_queue();
  for (auto& [id, at] : schedules_)
    if (at <= now_) return check_schedules(workflows_.at(id));
  const Run* due = nullptr;
  for (const auto& run : person_.runs) {
    if (!run.due_at || *run.due_at > now_) continue;
    if (run.state != RunState::open && run.state != RunState::done) continue;
    if (due == nullptr || std::pair{*run.due_at, run.id} < std::pair{*due->due_at, due->id})
      due = &run;
  }
  if (due == nullptr) return;
  const Uuid id = due->id;
  apply([&] { return fire(person_, id, now_, workflows_, facts_); });
  handle_queue();
}

}  // namespace shopbell::engine
