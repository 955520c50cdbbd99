// The operations that show how a workflow runs: numbers, moves of people, dry runs, `why`.
#pragma once

#include <vector>

#include "operations/resource_operations.h"

namespace shopbell::workflows {

std::vector<operations::Operation> managing_routes(const operations::ResourceOperations& workflow);

}  // namespace shopbell::workflows
