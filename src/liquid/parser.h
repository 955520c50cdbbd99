// Parser: the pieces of a source become nodes.
#pragma once

#include <vector>

#include "liquid/nodes.h"

namespace shopbell::liquid {

// Fills the compiled form from its source. Returns the faults, by place.
std::vector<Fault> parse(Compiled& compiled, const Options& options);

}  // namespace shopbell::liquid
