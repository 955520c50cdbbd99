// The output of a write, as its caller may see it. A caller who may read the resource gets all of
// it; any other caller gets only what it wrote.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::operations {

// Sets `read_scopes` and `shown_once` of every write: finds the operations that read the same
// resource. A write without such an operation answers with a receipt, which every caller gets.
void find_readers(std::vector<Operation>& operations);

// Reduces the output for a caller that has none of the operation's `read_scopes` to `id`,
// `warnings`, the members in `shown_once`, and the members of the request that were written.
Output visible_output(const Input& input, Output output);

}  // namespace shopbell::operations
