#include "engine/stepper.h"

#include <array>
#include <stdexcept>

#include "engine/derive.h"

namespace shopbell::engine {

Stepper::Stepper(const StepContext& context, Run run, std::string cause)
    : context_{context},
      result_{.run = std::move(run), .contact = context.contact, .actions = {}, .needs = {}},
      cause_{std::move(cause)},
      input_at_{context.now} {}

View Stepper::view() const {
  View view;
  view.now = context_.now;
  view.contact = result_.contact;
  view.store = context_.store;
  view.zone = zone_of(text_at(view.contact, "timeZone"), text_at(view.store, "timeZone"));
  view.run = &result_.run;
  view.schedule_date = result_.run.schedule_date;
  view.facts = context_.facts;
  view.needs = &needs_;
  return view;
}

View Stepper::view_of(const Event& event) const {
  View with_event = view();
  with_event.event = event.envelope;
  return with_event;
}

const Node& Stepper::node() const {
  const Node* node = context_.definition->find(result_.run.node);
  if (node == nullptr) throw std::logic_error{"version has no node " + result_.run.node};
  return *node;
}

StepResult Stepper::result() {
  result_.needs = std::move(needs_);
  return std::move(result_);
}

void Stepper::resume() {
  run().state = RunState::open;
  run().why.clear();
  if (const auto edge = run_node(node()); edge && !lacks_facts()) follow(node(), *edge);
}

void Stepper::follow(const Node& node, std::size_t edge) {
  const Edge& taken = node.edges.at(edge);
  pass(node, taken.name);
  clear_wait();
  taken.target == kEnd ? finish("completed") : enter(taken.target);
}

void Stepper::enter(int target) {
  for (int entered = 0; entered < kNodesPerStep; ++entered) {
    const Node& next = context_.definition->nodes.at(static_cast<std::size_t>(target));
    arrive(next);
    if (context_.paused) {
      run().state = RunState::held;
      return;
    }
    const auto edge = run_node(next);
    if (!edge || lacks_facts() || !run().is_open()) return;
    const Edge& taken = next.edges.at(*edge);
    pass(next, taken.name);
    clear_wait();
    if (taken.target == kEnd) return finish("completed");
    target = taken.target;
  }
  park("the run does not come to a wait");
}

void Stepper::arrive(const Node& node) {
  run().state = RunState::open;
  run().node = node.id;
  run().node_since = context_.now;
  ++run().visits;
  pass(node, "");
}

void Stepper::pass(const Node& node, const std::string& edge) {
  run().trail.push_back({.node = node.id, .edge = edge, .at = context_.now, .cause = cause_});
  if (run().seen.emplace(node.id, edge).second)
    act(CountPerson{.workflow = run().workflow, .node = node.id, .edge = edge});
}

void Stepper::count(const std::string& counter) {
  if (run().seen.emplace("", counter).second)
    act(CountPerson{.workflow = run().workflow, .node = "", .edge = counter});
}

void Stepper::clear_wait() {
  run().due_at.reset();
  run().message.reset();
  run().delivery.reset();
  run().subjects.clear();
}

// A run that fails is parked at the node that failed; the nodes before stay done.
void Stepper::park(std::string why) {
  clear_wait();
  run().state = RunState::parked;
  run().why = std::move(why);
}

std::optional<std::size_t> Stepper::run_node(const Node& node) {
  try {
    return std::visit([&](const auto& what) { return run_what(node, what); }, node.what);
  } catch (const std::exception& error) {
    park(error.what());
    return std::nullopt;
  }
}

void Stepper::finish(std::string why) {
  if (run().is_open()) {
    count(why == "completed" ? "completed" : "exited");
    run().why = std::move(why);
  }
  run().state = RunState::done;
  run().due_at.reset();
  run().delivery.reset();
  run().subjects.clear();
  if (run().message) {
    const auto withdrawn = withdraw("run-ended");
    if (!withdrawn) return;
    // A claimed message decides about the coupons when its outcome is known.
    if (*withdrawn || run().coupons.empty()) run().message.reset();
  }
  settle();
}

void Stepper::settle() {
  if (run().message) return;
  release_coupons();
  const bool awaits_goal = context_.definition->goal && !run().converted &&
                           goal_deadline(context_, run()) > context_.now;
  if (awaits_goal) {
    run().due_at = goal_deadline(context_, run());
  } else {
    run().due_at.reset();
    run().state = RunState::ended;
  }
}

void Stepper::release_coupons() {
  for (const auto& coupon : run().coupons)
    if (!coupon.sent) act(ReleaseCoupon{coupon.claim});
  run().coupons.clear();
}

std::optional<bool> Stepper::withdraw(std::string reason) {
  const auto known = context_.facts->withdrawn.find(*run().message);
  if (known != context_.facts->withdrawn.end()) return known->second;
  needs_.emplace_back(WithdrawNeed{.message = *run().message, .reason = std::move(reason)});
  return std::nullopt;
}

Uuid Stepper::id_of_visit(std::string_view what) const {
  const std::string account = std::to_string(context_.account);
  const std::string run = result_.run.id.to_string();
  const std::string visit = std::to_string(result_.run.visits);
  return derived_id(input_at_,
                    std::array<std::string_view, 5>{what, account, run, result_.run.node, visit});
}

}  // namespace shopbell::engine
