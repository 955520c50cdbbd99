// Stepper: moves one run through its definition during one step.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/step.h"
#include "engine/view.h"

namespace shopbell::engine {

class Stepper {
 public:
  Stepper(const StepContext& context, Run run, std::string cause);

  // Enters a node, and the following ones until the run waits or ends.
  void enter(int node);
  // Enters the node where the run stands, without a new visit.
  void resume();
  // Forgets what the run waits for.
  void clear_wait();
  // Leaves the node by an edge.
  void follow(const Node& node, std::size_t edge);
  // Ends the run. `why` is "completed" or the reason of an exit.
  void finish(std::string why);
  // Notes a node that the run reached, or an edge that it took.
  void pass(const Node& node, const std::string& edge);
  // Counts the person in the workflow as a whole: "entered", "completed", "exited" or "converted".
  void count(const std::string& counter);
  // Decides about the coupons and the goal of a run that has left its last node.
  void settle();

  // Ends the planned message unless a sender has claimed it. Returns whether it is ended; nullopt
  // if that is not known yet.
  std::optional<bool> withdraw(std::string reason);
  // Releases the codes whose messages were not sent.
  void release_coupons();

  const Node& node() const;
  View view() const;
  View view_of(const Event& event) const;
  Run& run() { return result_.run; }
  bool lacks_facts() const { return !needs_.empty(); }
  // The time of the input, from which ids are derived; default: the time of the step.
  void set_input_at(Instant at) { input_at_ = at; }
  void act(Action action) { result_.actions.push_back(std::move(action)); }
  StepResult result();

 private:
  // Runs a node. Returns the edge to follow; nullopt if the run waits here.
  std::optional<std::size_t> run_node(const Node& node);
  std::optional<std::size_t> run_what(const Node& node, const Wait& wait);
  std::optional<std::size_t> run_what(const Node& node, const WaitForEvent& wait);
  std::optional<std::size_t> run_what(const Node& node, const Branch& branch);
  std::optional<std::size_t> run_what(const Node& node, const Split& split);
  std::optional<std::size_t> run_what(const Node& node, const Email& email);
  std::optional<std::size_t> run_what(const Node& node, const Webhook& webhook);
  std::optional<std::size_t> run_what(const Node& node, const Coupon& coupon);
  std::optional<std::size_t> run_what(const Node& node, const Lookup& lookup);
  std::optional<std::size_t> run_what(const Node& node, const UpdateContact& update);
  std::optional<std::size_t> run_what(const Node& node, const EmitEvent& emit);
  std::optional<std::size_t> run_what(const Node& node, const Exit& exit);

  void arrive(const Node& node);
  void park(std::string why);
  void refuse_loop() const;
  std::optional<std::size_t> awaited_since_start(const Node& node, const WaitForEvent& wait);
  Uuid id_of_visit(std::string_view what) const;

  const StepContext& context_;
  StepResult result_;
  mutable std::vector<Need> needs_;  // conditions add to them while they only read
  std::string cause_;
  Instant input_at_;
};

// The time at which a wait ends that began at `since`.
Instant end_of_wait(const Wait& wait, Instant since, const View& view);
// The product or variant of each event that the node waits for: "shirt" or "shirt/blue"; empty if
// the event has none.
std::vector<std::string> subjects_of(const WaitForEvent& wait, const View& view);
// True if the event is about the product or variant that the run waits for, or if the run waits for
// no product.
bool is_about(const AwaitedEvent& awaited, const std::string& subject, const Data& event);

}  // namespace shopbell::engine
