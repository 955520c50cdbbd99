// The operations under /workflows/ and /manage/workflows/.
#pragma once

#include <vector>

#include "operations/operation.h"

namespace shopbell::workflows {

std::vector<operations::Operation> operation_table();

// Checks a definition against the store without saving it. Only for commands, not for HTTP.
boost::asio::awaitable<operations::Output> check_definition(operations::Input input);

}  // namespace shopbell::workflows
