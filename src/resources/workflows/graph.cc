#include "resources/workflows/graph.h"

#include <algorithm>
#include <ranges>

namespace shopbell::workflows {

namespace {

// Returns the indexes of the nodes that each node leads to, without edges to unknown nodes.
std::vector<std::vector<std::size_t>> targets_of(const std::vector<GraphNode>& nodes) {
  std::vector<std::vector<std::size_t>> targets(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const auto& edge : nodes[i].edges) {
      const auto found = std::ranges::find(nodes, edge, &GraphNode::id);
      if (found != nodes.end())
        targets[i].push_back(static_cast<std::size_t>(found - nodes.begin()));
    }
  }
  return targets;
}

enum class Mark { fresh, open, done };

// Depth-first search: an edge to a node that is still being visited closes a cycle. The recursion
// is at most as deep as the number of nodes.
void follow(std::size_t at, const std::vector<GraphNode>& nodes,
            const std::vector<std::vector<std::size_t>>& targets, std::vector<Mark>& marks,
            std::vector<std::size_t>& cycles) {
  marks[at] = Mark::open;
  for (const std::size_t target : targets[at]) {
    if (nodes[target].pauses) continue;
    if (marks[target] == Mark::open && !std::ranges::contains(cycles, target))
      cycles.push_back(target);
    if (marks[target] == Mark::fresh) follow(target, nodes, targets, marks, cycles);
  }
  marks[at] = Mark::done;
}

}  // namespace

std::vector<std::size_t> unreachable_nodes(const std::vector<GraphNode>& nodes) {
  const auto targets = targets_of(nodes);
  std::vector<bool> reached(nodes.size());
  std::vector<std::size_t> open;
  if (!nodes.empty()) open.push_back(0);
  while (!open.empty()) {
    const std::size_t at = open.back();
    open.pop_back();
    if (reached[at]) continue;
    reached[at] = true;
    std::ranges::copy(targets[at], std::back_inserter(open));
  }
  std::vector<std::size_t> unreachable;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!reached[i]) unreachable.push_back(i);
  }
  return unreachable;
}

std::vector<std::size_t> endless_nodes(const std::vector<GraphNode>& nodes) {
  const auto targets = targets_of(nodes);
  std::vector<Mark> marks(nodes.size(), Mark::fresh);
  std::vector<std::size_t> cycles;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (marks[i] == Mark::fresh && !nodes[i].pauses) follow(i, nodes, targets, marks, cycles);
  }
  std::ranges::sort(cycles);
  return cycles;
}

}  // namespace shopbell::workflows
