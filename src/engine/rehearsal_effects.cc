#include <algorithm>

#include "engine/merge_patch.h"
#include "engine/rehearsal.h"
#include "json/writer.h"

namespace shopbell::engine {

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
  const auto held = codes_held_.find(need.coupon_set);
  if (need.reuse && held != codes_held_.end()) {
    answer.code = held->second;
  } else if (!codes.empty()) {
    answer.code = codes.front();
    codes.pop_front();
  }
  if (answer.code) {
    note("coupon", *answer.code);
    codes_held_[need.coupon_set] = *answer.code;
  }
  coupon_sets_[need.claim] = need.coupon_set;
  facts_.coupons.emplace(need.claim, std::move(answer));
}

void Rehearsal::release_coupon(const Uuid& claim) {
  const std::string code = facts_.coupons.at(claim).code.value_or("");
  const std::string& set = coupon_sets_.at(claim);
  note("release coupon", code);
  surroundings_.coupon_codes[set].push_back(code);
  const auto held = codes_held_.find(set);
  if (held != codes_held_.end() && held->second == code) codes_held_.erase(held);
}

bool Rehearsal::withdraw(const WithdrawNeed& need) {
  const auto found = std::ranges::find_if(
      waiting_, [&](const WaitingMessage& waiting) { return waiting.message.id == need.message; });
  if (found == waiting_.end()) return false;
  note("skip " + need.reason, found->message.template_name);
  waiting_.erase(found);
  return true;
}

void Rehearsal::perform(const Action& action, const Data& contact_before) {
  if (const auto* message = std::get_if<PlanMessage>(&action)) {
    waiting_.push_back({.message = *message, .planned_at = now_, .at = now_});
  } else if (const auto* webhook = std::get_if<SendWebhook>(&action)) {
    deliver(*webhook);
  } else if (const auto* change = std::get_if<ChangeContact>(&action)) {
    note("update", change->patch);
    note_change(contact_before, change->hops);
  } else if (const auto* event = std::get_if<AppendEvent>(&action)) {
    note("event " + event->kind, event->payload);
    queue_.push_back(event_of(event->kind, event->payload));
    queue_.back().hops = event->hops;
  } else if (const auto* coupon = std::get_if<ReleaseCoupon>(&action)) {
    release_coupon(coupon->claim);
  } else if (std::holds_alternative<Convert>(action)) {
    note("convert");
  } else if (const auto* person = std::get_if<CountPerson>(&action)) {
    ++people_[person->edge.empty() ? person->node : person->node + "." + person->edge];
  } else {
    note("refuse", std::get<RefuseStart>(action).reason);
  }
}

// Sends a message that is due. Of several the one with the highest priority is first. Returns false
// if none is due.
bool Rehearsal::send_next() {
  auto next = waiting_.end();
  for (auto one = waiting_.begin(); one != waiting_.end(); ++one)
    if (one->at <= now_ &&
        (next == waiting_.end() || priority_of(one->message) > priority_of(next->message)))
      next = one;
  if (next == waiting_.end()) return false;
  const WaitingMessage due = *next;
  waiting_.erase(next);
  try_to_send(due);
  return true;
}

std::int64_t Rehearsal::priority_of(const PlanMessage& message) const {
  const auto run = std::ranges::find(person_.runs, message.run, &Run::id);
  return run == person_.runs.end() ? 0 : workflows_.at(run->workflow).priority;
}

bool Rehearsal::is_suppressed(bool is_marketing) const {
  return refusal_of({.is_marketing = is_marketing,
                     .subscription = text_at(person_.contact, "emailSubscription"),
                     .status = text_at(person_.contact, "emailStatus"),
                     .suppression = {},
                     .marketing_requires = text_at(person_.store, "marketingRequires")})
      .has_value();
}

void Rehearsal::try_to_send(const WaitingMessage& waiting) {
  const auto run = std::ranges::find(person_.runs, waiting.message.run, &Run::id);
  if (run == person_.runs.end()) return;
  const bool is_marketing = waiting.message.is_marketing;
  if (is_suppressed(is_marketing)) {
    note("suppressed", waiting.message.template_name);
    return end_message(waiting.message, "suppressed");
  }
  SendRequest request{.planned_at = waiting.planned_at,
                      .now = now_,
                      .contact_zone = zone(),
                      .store_zone = engine::zone_of(text_at(person_.store, "timeZone"), "UTC"),
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
  const std::string outcome =
      known == surroundings_.message_outcomes.end() ? "sent" : known->second;
  note(outcome == "sent" ? "send" : outcome, waiting.message.template_name);
  end_message(waiting.message, outcome);
}

void Rehearsal::end_message(const PlanMessage& message, const std::string& outcome) {
  const bool is_sent = outcome == "sent" || outcome == "unknown";
  if (is_sent && message.is_marketing) sent_.push_back(now_);
  json::Writer writer;
  writer.begin_object().key("messageId").text(message.id.to_string());
  writer.key("runId").text(message.run.to_string()).end();
  queue_.push_back(event_of("message." + outcome, writer.finish()));
  queue_.back().hops = message.hops;
}

void Rehearsal::deliver(const SendWebhook& webhook) {
  note("webhook " + webhook.event_type, webhook.data);
  json::Writer writer;
  writer.begin_object().key("deliveryId").text(webhook.id.to_string());
  writer.key("delivered").boolean(!surroundings_.webhooks_fail).end();
  queue_.push_back(event_of(std::string{kDeliveryEnded}, writer.finish()));
}

}  // namespace shopbell::engine
