// Pool: one loop's connections. Shared ones carry the reads of many requests at once. Writing ones
// carry commits, so that no read waits for a commit. Exclusive ones run one transaction at a time
// and are opened on demand.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "observe/metrics.h"
#include "pg/commits.h"
#include "pg/connection.h"
#include "runtime/wait.h"

namespace shopbell::pg {

// State of the connections of all loops; read from any thread.
class Health {
 public:
  void expect(int connections) { wanted_ += connections; }
  void connected() { ++connected_; }
  void lost() { --connected_; }
  void troubled(const std::string& why);
  // Empty when every shared and writing connection is open.
  std::string trouble() const;

 private:
  std::atomic<int> wanted_ = 0;
  std::atomic<int> connected_ = 0;
  mutable std::mutex mutex_;
  std::string last_trouble_ = "not connected yet";
};

class Transaction;

class Pool {
 public:
  struct Settings {
    std::string url;
    std::size_t shared = 1;
    std::size_t writing = 0;  // connections for commit()
    std::size_t exclusive_max = limits::kExclusivePerLoop;
    // Default: twice the longest deadline. Event log readers rely on every transaction ending.
    std::chrono::milliseconds transaction_most = 2 * limits::kImportDeadline;
    int sort_megabytes = 0;  // see Terms
  };

  Pool(asio::io_context& loop, Settings settings, observe::Metrics& metrics, Health& health);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Returns once every shared and writing connection is open; at the deadline throws
  // Error::unavailable with the reason.
  asio::awaitable<void> wait_connected(Steady::time_point deadline);

  // Runs one group on the least loaded shared connection.
  asio::awaitable<Results> run(Group group, Scope scope);

  // Commits one group of changes, together with groups of other callers (see Commits).
  asio::awaitable<Results> commit(Group group, Scope scope) {
    return commits_.run(std::move(group), scope);
  }

  template <class... Values>
  asio::awaitable<Result> query(Scope scope, const Query& query, Values... values) {
    Group group;
    group.add(query, values...);
    Results results = co_await run(std::move(group), scope);
    co_return std::move(results.front());
  }

  // Runs body(transaction), a coroutine, between BEGIN and COMMIT on an exclusive connection, where
  // waiting for a lock delays no other request. Any exception rolls back and is rethrown.
  template <class Body>
  auto transaction(Scope scope, Body body) -> std::invoke_result_t<Body, Transaction&>;

 private:
  friend class Transaction;
  struct Exclusive {
    std::shared_ptr<Connection> connection;
    bool busy = false;
    std::optional<std::int64_t> account;  // account whose transaction the connection runs
  };

  Terms terms() const;
  std::vector<std::shared_ptr<Connection>> connect(std::size_t count);
  asio::awaitable<void> sweep();
  asio::awaitable<Exclusive*> acquire(Scope scope);
  void release(Exclusive& exclusive);
  void ring_waiters();

  asio::io_context& loop_;
  const Settings settings_;
  observe::Metrics& metrics_;
  Health& health_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::vector<std::shared_ptr<Connection>> standing_;  // shared first, then writing
  std::span<std::shared_ptr<Connection>> shared_;
  Commits commits_;
  std::vector<std::unique_ptr<Exclusive>> exclusive_;
  std::vector<runtime::Bell*> waiters_;
};

// An open transaction on an exclusive connection. BEGIN travels with its first group, so it costs
// no round trip.
class Transaction {
 public:
  asio::awaitable<Results> run(Group group);
  // Runs the last group of the transaction together with COMMIT.
  asio::awaitable<Results> run_and_commit(Group group);

  template <class... Values>
  asio::awaitable<Result> query(const Query& query, Values... values) {
    Group group;
    group.add(query, values...);
    Results results = co_await run(std::move(group));
    co_return std::move(results.front());
  }

 private:
  friend class Pool;
  Transaction(Pool& pool, Pool::Exclusive& exclusive, Scope scope)
      : pool_{pool}, exclusive_{&exclusive}, scope_{scope} {}
  ~Transaction() { pool_.release(*exclusive_); }
  Transaction(const Transaction&) = delete;

  asio::awaitable<void> commit();
  void note_commit(const Result& result);
  // Never throws: if ROLLBACK fails, the connection is dropped, which rolls back too.
  asio::awaitable<void> rollback();

  Pool& pool_;
  Pool::Exclusive* exclusive_;
  Scope scope_;
  enum class State { not_begun, open, committed };
  State state_ = State::not_begun;
};

template <class Body>
auto Pool::transaction(Scope scope, Body body) -> std::invoke_result_t<Body, Transaction&> {
  using Value = typename std::invoke_result_t<Body, Transaction&>::value_type;
  Transaction transaction{*this, *co_await acquire(scope), scope};
  std::exception_ptr failure;
  try {
    if constexpr (std::is_void_v<Value>) {
      co_await body(transaction);
      co_await transaction.commit();
      co_return;
    } else {
      Value value = co_await body(transaction);
      co_await transaction.commit();
      co_return value;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  co_await transaction.rollback();
  std::rethrow_exception(failure);
}

}  // namespace shopbell::pg
