// /workflows/ and /manage/workflows/
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::workflows {

std::vector<operations::Operation> operation_table();

// Checks a definition against the store without saving it. For commands: HTTP does not serve it.
boost::asio::awaitable<operations::Output> check_definition(operations::Input input);

}  // namespace shopbell::workflows
