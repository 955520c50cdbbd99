#include "engine/rehearsal.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine/derive.h"
#include "engine/merge_patch.h"
#include "engine/schedule.h"
#include "json/writer.h"

namespace shopbell::engine {

namespace {

constexpr int kRepetitions = 100;  // of a step that lacks facts
constexpr int kEventsAtOnce = 1000;

Event event_of(const Person& person, std::string kind, const std::string& data, Instant now,
               std::int64_t number, std::optional<Instant> occurred_at = {}) {
  Event event{
      .uid = derived_id(now, std::array<std::string_view, 2>{"event", std::to_string(number)}),
      .kind = std::move(kind),
      .envelope = {},
      .occurred_at = occurred_at.value_or(now),
      .received_at = now};
  json::Writer writer;
  writer.begin_object();
  writer.key("id").text(event.uid.to_string());
  writer.key("kind").text(event.kind);
  writer.key("occurredAt").text(to_rfc3339(event.occurred_at));
  writer.key("receivedAt").text(to_rfc3339(event.received_at));
  writer.key("contactId").text(person.contact_id.to_string());
  writer.key("data").json(data);
  event.envelope = Data{writer.end().finish()};
  return event;
}

}  // namespace

Rehearsal::Rehearsal(Person person, Workflows workflows, Surroundings surroundings, Instant start)
    : person_{std::move(person)},
      workflows_{std::move(workflows)},
      surroundings_{std::move(surroundings)},
      now_{start} {
  facts_.objects = surroundings_.objects;
  for (const auto& [id, workflow] : workflows_) {
    if (workflow.active_version == 0) continue;
    const Trigger& trigger = workflow.version(workflow.active_version).trigger;
    if (!trigger.schedule) continue;
    if (const auto at = next_time(*trigger.schedule, zone(), now_)) schedules_[id] = *at;
    // Contacts for which the condition holds already are left out, unless the schedule says so.
    View view{.now = now_, .zone = zone(), .contact = person_.contact, .store = person_.store};
    view.facts = &facts_;
    held_before_[id] = !trigger.schedule->include_existing && matches(trigger.where, view);
  }
}

Zone Rehearsal::zone() const {
  return zone_of(text_at(person_.contact, "timeZone"), text_at(person_.store, "timeZone"));
}

void Rehearsal::note(std::string what, std::string detail) {
  outcomes_.push_back({.at = now_, .what = std::move(what), .detail = std::move(detail)});
}

void Rehearsal::happen(const std::string& kind, const std::string& data, bool may_start,
                       std::optional<Instant> occurred_at) {
  Event event = event_of(person_, kind, data, now_, ++events_, occurred_at);
  event.may_start = may_start;
  happen(std::move(event));
}

void Rehearsal::happen(Event event) {
  queue_.push_back(std::move(event));
  handle_queue();
}

void Rehearsal::handle_queue() {
  for (int handled = 0; !queue_.empty(); ++handled) {
    if (handled == kEventsAtOnce) throw std::runtime_error{"the events cause each other forever"};
    const Event event = std::move(queue_.front());
    queue_.pop_front();
    history_.push_back(event);
    facts_.histories.clear();
    apply([&] { return react(person_, event, workflows_, facts_); });
  }
}

// Repeats the step until it has its facts, then performs its actions.
template <class React>
void Rehearsal::apply(React react) {
  for (int i = 0; i < kRepetitions; ++i) {
    Reaction reaction = react();
    if (!reaction.needs.empty()) {
      for (const auto& need : reaction.needs) provide(need);
      continue;
    }
    const std::vector<Run> before = std::exchange(person_, std::move(reaction.person)).runs;
    for (const auto& action : reaction.actions) perform(action);
    note_ends(before);
    std::erase_if(person_.runs, [](const Run& run) { return run.state == RunState::ended; });
    return;
  }
  throw std::logic_error{"a step keeps asking for facts"};
}

void Rehearsal::provide(const Need& need) {
  if (const auto* history = std::get_if<HistoryNeed>(&need)) {
    provide_history(*history);
  } else if (const auto* object = std::get_if<ObjectNeed>(&need)) {
    facts_.objects.emplace(std::pair{object->type, object->id}, Data{});
  } else if (const auto* coupon = std::get_if<CouponNeed>(&need)) {
    provide_coupon(*coupon);
  } else {
    const auto& withdrawal = std::get<WithdrawNeed>(need);
    if (!facts_.withdrawn.contains(withdrawal.message))
      facts_.withdrawn[withdrawal.message] = withdraw(withdrawal);
  }
}

void Rehearsal::provide_history(const HistoryNeed& need) {
  History& history = facts_.histories[need.kind];
  history.since = history.events.empty() ? need.since : std::min(history.since, need.since);
  history.events.clear();
  for (const auto& event : history_)
    if (event.kind == need.kind && event.received_at >= history.since)
      history.events.push_back(event.envelope);
}

void Rehearsal::provide_coupon(const CouponNeed& need) {
  if (facts_.coupons.contains(need.claim)) return;
  CouponAnswer answer{.code = {}, .expires_at = need.expires_at};
  auto& codes = surroundings_.coupon_codes[need.coupon_set];
  if (!codes.empty()) {
    answer.code = codes.front();
    codes.pop_front();
    note("coupon", *answer.code);
  }
  facts_.coupons.emplace(need.claim, std::move(answer));
}

bool Rehearsal::withdraw(const WithdrawNeed& need) {
  const auto found = std::ranges::find_if(
      waiting_, [&](const WaitingMessage& waiting) { return waiting.message.id == need.message; });
  if (found == waiting_.end()) return false;
  note("skip " + need.reason, found->message.template_name);
  waiting_.erase(found);
  return true;
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

void Rehearsal::perform(const Action& action) {
  if (const auto* message = std::get_if<PlanMessage>(&action)) {
    try_to_send({.message = *message, .planned_at = now_, .at = now_});
  } else if (const auto* webhook = std::get_if<SendWebhook>(&action)) {
    deliver(*webhook);
  } else if (const auto* change = std::get_if<ChangeContact>(&action)) {
    note("update", change->patch);
    queue_.push_back(event_of(person_, "contact.updated", "{}", now_, ++events_));
  } else if (const auto* event = std::get_if<AppendEvent>(&action)) {
    note("event " + event->kind, event->payload);
    queue_.push_back(event_of(person_, event->kind, event->payload, now_, ++events_));
    queue_.back().hops = event->hops;
  } else if (const auto* coupon = std::get_if<ReleaseCoupon>(&action)) {
    note("release coupon", facts_.coupons.at(coupon->claim).code.value_or(""));
  } else if (std::holds_alternative<Convert>(action)) {
    note("convert");
  } else if (const auto* person = std::get_if<CountPerson>(&action)) {
    ++people_[person->edge.empty() ? person->node : person->node + "." + person->edge];
  } else {
    note("refuse", std::get<RefuseStart>(action).reason);
  }
}

void Rehearsal::try_to_send(const WaitingMessage& waiting) {
  const auto run = std::ranges::find(person_.runs, waiting.message.run, &Run::id);
  if (run == person_.runs.end()) return;
  const bool is_marketing = waiting.message.is_marketing;
  if (is_marketing && text_at(person_.contact, "emailSubscription") == "unsubscribed")
    return end_message(waiting.message, "suppressed");
  SendRequest request{.planned_at = waiting.planned_at,
                      .now = now_,
                      .contact_zone = zone(),
                      .store_zone = zone_of(text_at(person_.store, "timeZone"), "UTC"),
                      .caps = {},
                      .sent = {},
                      .skips_at_cap = waiting.message.skips_at_cap};
  if (is_marketing) {
    request.caps = surroundings_.caps;
    request.sent = sent_;
  }
  const Definition& definition = workflows_.at(run->workflow).version(run->version);
  const SendVerdict verdict =
      judge_send(is_marketing ? definition.send_rules : SendRules{}, request);
  if (verdict.kind == SendVerdict::Kind::skip) {
    note("skip " + verdict.reason, waiting.message.template_name);
    return end_message(waiting.message, "skipped");
  }
  if (verdict.kind == SendVerdict::Kind::wait) {
    waiting_.push_back(waiting);
    waiting_.back().at = verdict.at;
    return;
  }
  const auto known = surroundings_.message_outcomes.find(waiting.message.template_name);
  end_message(waiting.message,
              known == surroundings_.message_outcomes.end() ? "sent" : known->second);
}

void Rehearsal::end_message(const PlanMessage& message, const std::string& outcome) {
  const bool is_sent = outcome == "sent" || outcome == "unknown";
  if (is_sent) {
    note("send", message.template_name);
    if (message.is_marketing) sent_.push_back(now_);
  } else if (outcome != "skipped") {
    note(outcome, message.template_name);
  }
  json::Writer writer;
  writer.begin_object().key("messageId").text(message.id.to_string());
  writer.key("runId").text(message.run.to_string()).end();
  queue_.push_back(event_of(person_, "message." + outcome, writer.finish(), now_, ++events_));
}

void Rehearsal::deliver(const SendWebhook& webhook) {
  note("webhook " + webhook.event_type, webhook.data);
  json::Writer writer;
  writer.begin_object().key("deliveryId").text(webhook.id.to_string());
  writer.key("delivered").boolean(!surroundings_.webhooks_fail).end();
  queue_.push_back(
      event_of(person_, std::string{kDeliveryEnded}, writer.finish(), now_, ++events_));
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
  for (auto due = next_due(); due && *due <= at; due = next_due()) {
    now_ = std::max(now_, *due);
    fire_due();
  }
  now_ = std::max(now_, at);
}

void Rehearsal::finish(Instant latest) {
  for (auto due = next_due(); due && *due <= latest; due = next_due()) {
    if (person_.runs.empty() && waiting_.empty() && schedules_.empty()) return;
    now_ = std::max(now_, *due);
    fire_due();
  }
}

// Fires one thing that is due: a message before a timer, timers by their due time and run.
void Rehearsal::fire_due() {
  facts_.histories.clear();
  const auto message = std::ranges::min_element(waiting_, {}, &WaitingMessage::at);
  if (message != waiting_.end() && message->at <= now_) {
    const WaitingMessage due = *message;
    waiting_.erase(message);
    try_to_send(due);
    return handle_queue();
  }
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

void Rehearsal::check_schedules(const Workflow& workflow) {
  const Trigger& trigger = workflow.version(workflow.active_version).trigger;
  const auto next = next_time(*trigger.schedule, zone(), now_);
  next ? schedules_.insert_or_assign(workflow.id, *next).second
       : schedules_.erase(workflow.id) != 0;
  const std::string date =
      to_rfc3339(std::chrono::sys_days{local_date(zone(), now_)}).substr(0, 10);
  View view{.now = now_, .zone = zone(), .contact = person_.contact, .store = person_.store};
  view.schedule_date = date;
  std::vector<Need> needs;
  view.facts = &facts_;
  view.needs = &needs;
  bool holds = matches(trigger.where, view);
  while (!needs.empty()) {
    for (const auto& need : std::exchange(needs, {})) provide(need);
    holds = matches(trigger.where, view);
  }
  const bool held = std::exchange(held_before_[workflow.id], holds);
  if (!holds || (trigger.schedule->becomes_true && held)) return;
  apply([&] { return start_on_schedule(person_, workflow.id, now_, date, workflows_, facts_); });
  handle_queue();
}

template <class Do>
void Rehearsal::for_runs_of(const Uuid& workflow, Do run) {
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
  const Command command{
      .kind = Command::Kind::move, .why = {}, .version = version, .nodes = std::move(nodes)};
  for_runs_of(workflow, [&](const Uuid& run) {
    apply([&] { return obey(person_, run, command, now_, workflows_, facts_); });
  });
}

void Rehearsal::change_contact(const std::string& patch) {
  const Data changes{patch};
  person_.contact = Data{merged(*person_.contact.root(), *changes.root())};
}

}  // namespace shopbell::engine
