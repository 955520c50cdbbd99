// OperatorSession: runs operator commands across accounts, on its own loop and worker connection.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "app/config/config.h"
#include "observe/log.h"
#include "observe/metrics.h"
#include "operations/audit.h"
#include "pg/pool.h"
#include "runtime/wait.h"

namespace shopbell::app {

class OperatorSession {
 public:
  explicit OperatorSession(const Config& config)
      : database_{loop_, {.url = config.database_worker}, metrics_, health_} {
    observe::start_logs(observe::Level::warn);  // standard output is for the command's results
    runtime::run_to_end(loop_, database_.wait_connected(scope().deadline));
  }

  template <class T>
  T run(boost::asio::awaitable<T> work) {
    return runtime::run_to_end(loop_, std::move(work));
  }
  // Runs `work(transaction)`, a coroutine that changes something in the installation and returns
  // true, or a number other than 0, if it did. Its audit row is written in the same transaction.
  template <class Work>
  auto change(std::string operation, std::string object, Work work) {
    return run(operations::run_audited(
        database_, scope(), std::move(work),
        [&](const auto& changed) -> std::optional<operations::AuditRow> {
          if (!changed) return std::nullopt;
          return operations::AuditRow{.operation = operation, .object = object};
        }));
  }
  boost::asio::io_context& loop() { return loop_; }
  pg::Pool& database() { return database_; }
  // Returns the scope of one call that starts now.
  static pg::Scope scope() { return {.deadline = pg::Steady::now() + std::chrono::seconds{10}}; }

 private:
  boost::asio::io_context loop_;
  observe::Metrics metrics_;
  pg::Health health_;
  pg::Pool database_;
};

}  // namespace shopbell::app
