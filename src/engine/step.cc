#include "engine/step.h"

#include <algorithm>
#include <utility>

#include "engine/node_compile.h"
#include "engine/stepper.h"

namespace shopbell::engine {

namespace {

bool matches_event(const EventMatch& match, const Event& event, const View& view) {
  return match.kind == event.kind && matches(match.where, view);
}

// The outcome of the run's message: whether it was sent; nullopt if the event is about another.
std::optional<bool> outcome_of(const Run& run, const Event& event) {
  const auto known = std::ranges::find(message_outcomes(), event.kind, &MessageOutcome::kind);
  if (known == message_outcomes().end() || !run.message) return std::nullopt;
  if (text_at(event.envelope, "data.messageId") != run.message->to_string()) return std::nullopt;
  return known->is_sent;
}

void take_outcome(Stepper& stepper, bool is_sent) {
  Run& run = stepper.run();
  if (is_sent) {
    run.has_sent = true;
    for (auto& coupon : run.coupons) coupon.sent = true;
  }
  if (run.state == RunState::done) {
    run.message.reset();
    stepper.settle();
  } else {
    stepper.follow(stepper.node(), is_sent ? 0 : 1);
  }
}

void take_delivery(Stepper& stepper, const Event& event) {
  const auto delivered = value_at(event.envelope.root(), "data.delivered");
  const bool is_delivered =
      delivered && delivered->type() == json::Type::boolean && delivered->boolean();
  stepper.follow(stepper.node(), is_delivered ? 0 : 1);
}

void take_awaited(Stepper& stepper, const Event& event) {
  const Node& node = stepper.node();
  const auto* wait = std::get_if<WaitForEvent>(&node.what);
  if (wait == nullptr) return;
  const View view = stepper.view_of(event);
  for (std::size_t i = 0; i < wait->events.size(); ++i) {
    const AwaitedEvent& awaited = wait->events[i];
    if (!is_about(awaited, stepper.run().subjects.at(i), event.envelope) ||
        !matches_event(awaited.match, event, view))
      continue;
    if (stepper.lacks_facts()) return;
    stepper.run().variables.insert_or_assign(node.id, event.envelope);
    return stepper.follow(node, i);
  }
}

// A wait that began before a run moved, or while its workflow was paused, may be over.
void wait_on(Stepper& stepper, Instant now) {
  Run& run = stepper.run();
  const Node& node = stepper.node();
  const View view = stepper.view();
  if (const auto* wait = std::get_if<Wait>(&node.what)) {
    run.due_at = std::max(end_of_wait(*wait, run.node_since, view), now);
  } else if (const auto* awaited = std::get_if<WaitForEvent>(&node.what)) {
    run.due_at = std::max(plus(view.zone, run.node_since, awaited->timeout), now);
    run.subjects = subjects_of(*awaited, view);
  }
}

// A change of the contact's time zone moves the end of a wait.
bool changes_zone(const Event& event) {
  if (event.kind != "contact.updated") return false;
  const auto changed = value_at(event.envelope.root(), "data.changed");
  bool found = false;
  if (changed)
    changed->for_each([&](std::string_view, const json::Value& name) {
      found = found || (name.type() == json::Type::text && name.text() == "timeZone");
    });
  return found;
}

}  // namespace

Instant goal_deadline(const StepContext& context, const Run& run) {
  const Zone zone =
      zone_of(text_at(context.contact, "timeZone"), text_at(context.store, "timeZone"));
  return plus(zone, run.started_at, context.definition->goal->within);
}

StepResult start(const StepContext& context, Run run) {
  run.started_at = context.now;
  Stepper stepper{context, std::move(run), "start"};
  stepper.count("entered");
  stepper.enter(0);
  return stepper.result();
}

StepResult restart(const StepContext& context, Run run, const Event& event) {
  Stepper stepper{context, std::move(run), "restart"};
  Run& again = stepper.run();
  again.trigger = event.envelope;
  if (!context.definition->reentry.until_exit && again.has_sent) return stepper.result();
  if (again.message) {
    const auto withdrawn = stepper.withdraw("restarted");
    if (!withdrawn) return stepper.result();
    if (!*withdrawn) {
      // A claimed message counts as sent, with its coupons.
      again.has_sent = true;
      if (!context.definition->reentry.until_exit) return stepper.result();
      again.coupons.clear();
    }
  }
  stepper.release_coupons();
  again.variables.clear();
  stepper.clear_wait();
  again.started_at = context.now;
  stepper.enter(0);
  return stepper.result();
}

StepResult take_event(const StepContext& context, Run run, const Event& event) {
  Stepper stepper{context, std::move(run), "event"};
  const Run& before = stepper.run();
  if (const auto is_sent = outcome_of(before, event)) {
    take_outcome(stepper, *is_sent);
  } else if (before.state == RunState::open && event.kind == kDeliveryEnded && before.delivery) {
    if (text_at(event.envelope, "data.deliveryId") == before.delivery->to_string())
      take_delivery(stepper, event);
  } else if (before.state == RunState::open && event.may_start) {
    if (before.due_at && changes_zone(event) && std::holds_alternative<Wait>(stepper.node().what))
      wait_on(stepper, context.now);
    take_awaited(stepper, event);
  }
  return stepper.result();
}

StepResult take_timer(const StepContext& context, Run run) {
  Stepper stepper{context, std::move(run), "timer"};
  Run& due = stepper.run();
  if (!due.due_at || *due.due_at > context.now) return stepper.result();
  stepper.set_input_at(*due.due_at);
  if (due.state == RunState::done) {
    stepper.settle();
  } else if (due.state == RunState::open && context.paused) {
    due.state = RunState::held;
  } else if (due.state == RunState::open) {
    const Node& node = stepper.node();
    stepper.follow(node, node.edges.size() - 1);  // the timeout is the last edge
  }
  return stepper.result();
}

StepResult take_goal(const StepContext& context, Run run, const Event& event) {
  Stepper stepper{context, std::move(run), "event"};
  Run& one = stepper.run();
  const auto& goal = context.definition->goal;
  if (!goal || !event.may_exit || one.converted || one.state == RunState::ended ||
      context.now > goal_deadline(context, one) ||
      !matches_event(goal->match, event, stepper.view_of(event)) || stepper.lacks_facts())
    return stepper.result();
  one.converted = true;
  stepper.count("converted");
  stepper.act(Convert{.workflow = one.workflow, .run = one.id});
  if (one.state == RunState::done) stepper.settle();
  return stepper.result();
}

StepResult take_exit(const StepContext& context, Run run, const Event& event) {
  Stepper stepper{context, std::move(run), "event"};
  if (!stepper.run().is_open() || !event.may_exit) return stepper.result();
  const View view = stepper.view_of(event);
  const bool ends = std::ranges::any_of(context.definition->exits, [&](const EventMatch& match) {
    return matches_event(match, event, view);
  });
  if (ends && !stepper.lacks_facts()) stepper.finish("exit");
  return stepper.result();
}

StepResult end(const StepContext& context, Run run, std::string why) {
  Stepper stepper{context, std::move(run), "command"};
  stepper.finish(std::move(why));
  return stepper.result();
}

StepResult release(const StepContext& context, Run run) {
  Stepper stepper{context, std::move(run), "command"};
  Run& held = stepper.run();
  if (held.state != RunState::held && held.state != RunState::parked) return stepper.result();
  // A run with a due time was held in the middle of its wait; others have not entered their node.
  if (held.due_at) {
    held.state = RunState::open;
    return take_timer(context, stepper.result().run);
  }
  stepper.resume();
  return stepper.result();
}

StepResult move(const StepContext& context, Run run, std::string_view node) {
  const Node* target = context.definition->find(node);
  const Run before = run;
  Stepper stepper{context, std::move(run), "command"};
  Run& moved = stepper.run();
  if (target == nullptr || !moved.is_open()) return stepper.result();
  const bool is_wait = std::holds_alternative<Wait>(target->what) ||
                       std::holds_alternative<WaitForEvent>(target->what);
  const bool is_same_message = moved.message && std::holds_alternative<Email>(target->what);
  const bool is_same_delivery = moved.delivery && std::holds_alternative<Webhook>(target->what);
  if (moved.message && !is_same_message) {
    const auto withdrawn = stepper.withdraw("moved");
    if (!withdrawn) return stepper.result();
    if (!*withdrawn) return {.run = before, .contact = context.contact, .actions = {}, .needs = {}};
  }
  moved.version = context.definition->version;
  if (is_same_message || is_same_delivery || (is_wait && moved.due_at)) {
    if (std::exchange(moved.node, target->id) != target->id) stepper.pass(*target, "");
    if (is_wait) wait_on(stepper, context.now);
    return stepper.result();
  }
  stepper.clear_wait();
  stepper.enter(context.definition->index.find(node)->second);
  return stepper.result();
}

}  // namespace shopbell::engine
