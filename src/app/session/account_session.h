// What a command does for one account: as a request of the account would, behind the same walls.
#pragma once

#include <format>
#include <stdexcept>
#include <string>

#include <boost/asio/io_context.hpp>

#include "app/config/config.h"
#include "base/problem.h"
#include "observe/log.h"
#include "pg/pool.h"
#include "resources/store/accounts.h"
#include "runtime/wait.h"

namespace shopbell::app {

// Runs `work(database, scope)`, a coroutine, to its end. A Problem is told as a command tells it:
// with all its faults.
template <class Work>
auto serve_account(const Config& config, std::int64_t account, Work work) {
  observe::start_logs(observe::Level::warn);  // standard output is for what the command says
  boost::asio::io_context loop;
  observe::Metrics metrics;
  pg::Health health;
  const pg::Scope scope{.account = account,
                        .deadline = pg::Steady::now() + std::chrono::seconds{60}};
  pg::Pool database{loop, {.url = config.database_api, .writing = 1}, metrics, health};
  runtime::run_to_end(loop, database.wait_connected(scope.deadline));
  try {
    runtime::run_to_end(loop, store::get_store(database, scope));  // there is such an account
    return runtime::run_to_end(loop, work(database, scope));
  } catch (const Problem& problem) {
    std::string text = problem.detail();
    for (const auto& fault : problem.faults())
      text += std::format("\n  {} {}: {}", fault.at, fault.code, fault.detail);
    throw std::runtime_error{text};
  }
}

}  // namespace shopbell::app
