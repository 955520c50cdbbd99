// AccountSession: runs operations for one account from a command. It invokes the same operations as
// HTTP requests, under the same row-level security.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "app/config/config.h"
#include "json/document.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "operations/operation.h"
#include "pg/pool.h"
#include "runtime/wait.h"
#include "storage/storage.h"

namespace shopbell::app {

// The arguments that a command passes to an operation.
struct Arguments {
  operations::Parameters path{};
  operations::Parameters query{};
  std::string body{};                    // request body as JSON; empty: no body
  operations::Upload* upload = nullptr;  // set it for operations that take an upload
  storage::Storage* storage = nullptr;   // set it for operations that store files
};

class AccountSession {
 public:
  // Throws std::runtime_error if the account does not exist.
  AccountSession(const Config& config, std::int64_t account);

  // Invokes an operation. Throws std::runtime_error with all faults if the operation refuses.
  operations::Output call(const std::vector<operations::Operation>& table, std::string_view id,
                          Arguments arguments = {});

  // Like call(), but returns nullopt if the object does not exist.
  std::optional<operations::Output> find(const std::vector<operations::Operation>& table,
                                         std::string_view id, Arguments arguments);

  // Like call() for an operation that is already found. Throws Problem if it refuses.
  operations::Output perform(const operations::Operation& operation, Arguments arguments);

  // Runs `work(input)`, a coroutine, as an operation.
  template <class Work>
  auto run(const operations::Operation& operation, Arguments arguments, Work work) {
    return explained([&] { return invoke(operation, std::move(arguments), work); });
  }
  // Runs `work(database, scope)`, a coroutine that only reads the database.
  template <class Work>
  auto read(Work work) {
    return explained([&] { return runtime::run_to_end(loop_, work(database_, scope())); });
  }

 private:
  template <class Work>
  auto invoke(const operations::Operation& operation, Arguments arguments, Work work) {
    const operations::Invocation invocation = invocation_of(operation, std::move(arguments));
    return runtime::run_to_end(loop_, work(operations::Input{invocation}));
  }
  operations::Invocation invocation_of(const operations::Operation& operation, Arguments arguments);
  pg::Scope scope() const;
  [[noreturn]] static void explain(const Problem& problem);
  // Converts a Problem to the error that a command prints.
  template <class Work>
  static auto explained(Work work) {
    try {
      return work();
    } catch (const Problem& problem) {
      explain(problem);
    }
  }

  const std::int64_t account_;
  const keyring::Keyring keyring_;
  boost::asio::io_context loop_;
  observe::Metrics metrics_;
  pg::Health health_;
  pg::Pool database_;
};

// The members of an output's JSON object, for printing.
class OutputMembers {
 public:
  explicit OutputMembers(const operations::Output& output);

  // Returns a text or number member as text; returns `missing` if the member is null or absent.
  std::string text(std::string_view name, std::string_view missing = "-") const;
  std::int64_t integer(std::string_view name) const;  // 0 if the member is absent
  json::Value root() const { return document_.root(); }

 private:
  json::Document document_;
};

}  // namespace shopbell::app
