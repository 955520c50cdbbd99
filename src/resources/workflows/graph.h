// The nodes of a definition as a graph: which can be reached, and which go round without a pause.
#pragma once

#include <string>
#include <vector>

namespace shopbell::workflows {

struct GraphNode {
  std::string id;
  std::vector<std::string> edges;  // ids of nodes
  bool pauses = false;             // whoever passes has waited for a minute at least
};

// Places in the list. The first node is where runs start.
std::vector<std::size_t> unreachable_nodes(const std::vector<GraphNode>& nodes);
// Of each circle without a pause, one node.
std::vector<std::size_t> endless_nodes(const std::vector<GraphNode>& nodes);

}  // namespace shopbell::workflows
