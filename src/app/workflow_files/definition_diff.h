// Compares two definitions of a workflow, for people.
#pragma once

#include <string>
#include <vector>

#include "json/document.h"

namespace shopbell::app {

// Returns a line for each change: "+" for what is added, "-" for what is removed, "~" for what
// changes, with indented lines for the members of a node. Empty if the definitions say the same.
// Nodes are compared by id; another order of the nodes changes nothing unless another one is first.
std::vector<std::string> definition_changes(const json::Value& before, const json::Value& after);

// Returns a line for each node: its id and type.
std::vector<std::string> node_lines(const json::Value& definition);

}  // namespace shopbell::app
