// Pool: one loop's connections. Shared ones carry the reads of many requests at once, writing ones
// their changes, so that no read waits for a commit; exclusive ones serve one transaction at a
// time, opened when first needed.
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

// How the connections of all loops are doing; read from any thread.
class Health {
 public:
  void expect(int connections) { wanted_ += connections; }
  void connected() { ++connected_; }
  void lost() { --connected_; }
  void troubled(const std::string& why);
  // Empty when every shared and writing connection stands.
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
    std::size_t writing = 0;  // for commit()
    std::size_t exclusive_max = limits::kExclusivePerLoop;
    // By default twice what the longest may take: what reads the log counts on there being an end.
    std::chrono::milliseconds transaction_most = 2 * limits::kImportDeadline;
    int sort_megabytes = 0;  // of Terms
  };

  Pool(asio::io_context& loop, Settings settings, observe::Metrics& metrics, Health& health);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Returns once every shared and writing connection stands; throws Error::unavailable at the
  // deadline, saying why.
  asio::awaitable<void> wait_connected(Steady::time_point deadline);

  // One group on the shared connection with the least to do.
  asio::awaitable<Results> run(Group group, Scope scope);

  // One group that changes something, committed together with those of others (see Commits).
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

  // Runs body(transaction), a coroutine, between BEGIN and COMMIT, on a connection of its own,
  // where it may wait for locks without anybody waiting behind it. Whatever it throws rolls
  // everything back and goes on to the caller.
  template <class Body>
  auto transaction(Scope scope, Body body) -> std::invoke_result_t<Body, Transaction&>;

 private:
  friend class Transaction;
  struct Exclusive {
    std::shared_ptr<Connection> connection;
    bool busy = false;
    std::optional<std::int64_t> account;  // it is busy for
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

// What happens between BEGIN and COMMIT, on a connection of its own.
class Transaction {
 public:
  asio::awaitable<Results> run(Group group) {
    return exclusive_->connection->run(std::move(group), scope_);
  }

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

  asio::awaitable<void> begin();
  asio::awaitable<void> commit();
  // Never throws: a connection that cannot roll back is dropped, which rolls back too.
  asio::awaitable<void> rollback();

  Pool& pool_;
  Pool::Exclusive* exclusive_;
  Scope scope_;
  bool open_ = false;
};

template <class Body>
auto Pool::transaction(Scope scope, Body body) -> std::invoke_result_t<Body, Transaction&> {
  using Value = typename std::invoke_result_t<Body, Transaction&>::value_type;
  Transaction transaction{*this, *co_await acquire(scope), scope};
  std::exception_ptr failure;
  try {
    co_await transaction.begin();
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
