// The nodes of a definition as a graph: finds unreachable nodes and cycles without a pause.
#pragma once

#include <string>
#include <vector>

namespace shopbell::workflows {

struct GraphNode {
  std::string id;
  std::vector<std::string> edges;  // ids of the nodes that follow
  bool pauses = false;             // true if a run waits here for at least a minute
};

// Returns indexes of nodes that cannot be reached from the first node, where runs start.
std::vector<std::size_t> unreachable_nodes(const std::vector<GraphNode>& nodes);
// Returns the index of one node of each cycle without a pause.
std::vector<std::size_t> endless_nodes(const std::vector<GraphNode>& nodes);

}  // namespace shopbell::workflows
