#include <format>
#include <stdexcept>

#include "engine/derive.h"
#include "engine/merge_patch.h"
#include "engine/stepper.h"
#include "json/writer.h"

namespace shopbell::engine {

namespace {

constexpr std::size_t kNext = 0;
constexpr std::size_t kOther = 1;  // onNotSent, onFailed, onEmpty, onMissing

}  // namespace

Instant end_of_wait(const Wait& wait, Instant since, const View& view) {
  if (wait.time) return next_local(view.zone, *wait.time, wait.weekdays, since);
  if (wait.length) return plus(view.zone, since, *wait.length);
  if (wait.days) {
    const auto days = number_of(view.read(*wait.days));
    const auto length = days ? duration_of_days(*days) : std::nullopt;
    return length ? plus(view.zone, since, *length) : since;
  }
  // Without the date there is nothing to wait for.
  const auto instant = instant_of(view.read(*wait.date), view.zone);
  return instant ? plus(view.zone, *instant, wait.offset) : since;
}

std::vector<std::string> subjects_of(const WaitForEvent& wait, const View& view) {
  std::vector<std::string> subjects;
  for (const auto& event : wait.events) {
    const auto product = event.product ? text_of(view.read(*event.product)) : std::nullopt;
    const auto variant = event.variant ? text_of(view.read(*event.variant)) : std::nullopt;
    subjects.push_back(product && variant ? *product + "/" + *variant : product.value_or(""));
  }
  return subjects;
}

bool is_about(const AwaitedEvent& awaited, const std::string& subject, const Data& event) {
  if (!awaited.product) return true;
  const std::string_view product = text_at(event, "data.productId");
  const std::string_view variant = text_at(event, "data.variantId");
  return !subject.empty() &&
         (subject == product ||
          (!variant.empty() && subject == std::format("{}/{}", product, variant)));
}

std::optional<std::size_t> Stepper::run_what(const Node&, const Wait& wait) {
  const Instant due = end_of_wait(wait, run().node_since, view());
  if (due <= context_.now) return kNext;
  run().due_at = due;
  return std::nullopt;
}

std::optional<std::size_t> Stepper::run_what(const Node& node, const WaitForEvent& wait) {
  const View here = view();
  run().subjects = subjects_of(wait, here);
  if (wait.since_start) {
    const auto edge = awaited_since_start(node, wait);
    if (edge || lacks_facts()) return edge;
  }
  run().due_at = plus(here.zone, run().node_since, wait.timeout);
  return std::nullopt;
}

// Looks for an awaited event since the start of the run. The earliest one wins.
std::optional<std::size_t> Stepper::awaited_since_start(const Node& node,
                                                        const WaitForEvent& wait) {
  std::optional<std::size_t> edge;
  Instant earliest;
  View here = view();
  const std::string trigger{text_at(run().trigger, "id")};
  for (std::size_t i = 0; i < wait.events.size(); ++i) {
    const EventMatch& match = wait.events[i].match;
    const auto history = context_.facts->histories.find(match.kind);
    if (history == context_.facts->histories.end() || history->second.since > run().started_at) {
      needs_.emplace_back(HistoryNeed{match.kind, run().started_at});
      continue;
    }
    for (const auto& event : history->second.events) {
      const auto at = parse_rfc3339(text_at(event, "receivedAt"));
      if (!at || *at < run().started_at || text_at(event, "id") == trigger) continue;
      here.event = event;
      if (!is_about(wait.events[i], run().subjects[i], event)) continue;
      if ((edge && *at >= earliest) || !matches(match.where, here)) continue;
      edge = i;
      earliest = *at;
      run().variables.insert_or_assign(node.id, event);
    }
  }
  return edge;
}

std::optional<std::size_t> Stepper::run_what(const Node& node, const Branch& branch) {
  const View here = view();
  for (std::size_t i = 0; i < branch.cases.size(); ++i)
    if (judge(branch.cases[i], here) == Truth::yes) return i;
  return node.edges.size() - 1;
}

std::optional<std::size_t> Stepper::run_what(const Node& node, const Split& split) {
  return split_part(context_.account, run().workflow, node.id, context_.contact_id, split.weights);
}

std::optional<std::size_t> Stepper::run_what(const Node& node, const Email& email) {
  refuse_loop();
  run().message = id_of_visit("message");
  act(PlanMessage{.id = *run().message,
                  .run = run().id,
                  .node = node.id,
                  .template_name = email.template_name,
                  .is_marketing = email.is_marketing,
                  .skips_at_cap = email.skips_at_cap,
                  .hops = context_.hops + 1});
  return std::nullopt;
}

std::optional<std::size_t> Stepper::run_what(const Node&, const Webhook& webhook) {
  if (webhook.requires_consent && text_at(result_.contact, "emailSubscription") != "subscribed")
    return kOther;
  run().delivery = id_of_visit("delivery");
  act(SendWebhook{.id = *run().delivery,
                  .run = run().id,
                  .event_type = webhook.event_type,
                  .data = to_json(webhook.data, view())});
  return std::nullopt;
}

std::optional<std::size_t> Stepper::run_what(const Node& node, const Coupon& coupon) {
  const Uuid claim = id_of_visit("coupon");
  const auto answer = context_.facts->coupons.find(claim);
  if (answer == context_.facts->coupons.end()) {
    const auto expires_at = coupon.valid_for
                                ? std::optional{plus(view().zone, context_.now, *coupon.valid_for)}
                                : std::nullopt;
    needs_.emplace_back(CouponNeed{.claim = claim,
                                   .run = run().id,
                                   .workflow = run().workflow,
                                   .node = node.id,
                                   .coupon_set = coupon.coupon_set,
                                   .reuse = coupon.reuse,
                                   .expires_at = expires_at});
    return std::nullopt;
  }
  if (!answer->second.code) return kOther;
  json::Writer writer;
  writer.begin_object().key("code").text(*answer->second.code).key("expiresAt");
  answer->second.expires_at ? writer.text(to_rfc3339(*answer->second.expires_at)) : writer.null();
  run().variables.insert_or_assign(coupon.variable, Data{writer.end().finish()});
  if (coupon.release_if_not_sent)
    run().coupons.push_back({.claim = claim, .variable = coupon.variable});
  return kNext;
}

std::optional<std::size_t> Stepper::run_what(const Node&, const Lookup& lookup) {
  const auto id = text_of(view().read(lookup.id));
  if (!id) return kOther;
  const auto found = context_.facts->objects.find({lookup.type, *id});
  if (found == context_.facts->objects.end()) {
    needs_.emplace_back(ObjectNeed{.type = lookup.type, .id = *id});
    return std::nullopt;
  }
  if (!found->second) return kOther;
  run().variables.insert_or_assign(lookup.variable, found->second);
  return kNext;
}

std::optional<std::size_t> Stepper::run_what(const Node&, const UpdateContact& update) {
  refuse_loop();
  std::string patch = to_json(update.set, view());
  const auto contact = result_.contact.root();
  const Data changes{patch};
  if (contact) result_.contact = Data{merged(*contact, *changes.root())};
  act(ChangeContact{.run = run().id, .patch = std::move(patch), .hops = context_.hops + 1});
  return kNext;
}

std::optional<std::size_t> Stepper::run_what(const Node&, const EmitEvent& emit) {
  refuse_loop();
  act(AppendEvent{.run = run().id,
                  .kind = emit.kind,
                  .payload = to_json(emit.payload, view()),
                  .hops = context_.hops + 1});
  return kNext;
}

// Throws if the chain of events that caused one another is too long to cause one more.
void Stepper::refuse_loop() const {
  if (context_.hops < kHopsMost) return;
  throw std::runtime_error{
      std::format("workflows that start each other: {} events caused one another", kHopsMost)};
}

std::optional<std::size_t> Stepper::run_what(const Node&, const Exit&) {
  finish("completed");
  return std::nullopt;
}

}  // namespace shopbell::engine
