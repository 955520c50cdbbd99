// Workflows as an operator handles them, outside of any request; by the same decisions. The scope
// names the account. They throw the Problem that refuses.
#pragma once

#include <string>

#include <boost/asio/awaitable.hpp>

#include "pg/pool.h"
#include "resources/workflows/workflow.h"

namespace shopbell::workflows {

boost::asio::awaitable<Workflow> show_workflow(pg::Pool& database, pg::Scope scope,
                                               std::string name);
// Whether a definition could be saved; nothing is. `text` is JSON.
boost::asio::awaitable<Workflow> try_definition(pg::Pool& database, pg::Scope scope,
                                                std::string text);
boost::asio::awaitable<Workflow> publish_workflow(pg::Pool& database, pg::Scope scope,
                                                  std::string name);

}  // namespace shopbell::workflows
