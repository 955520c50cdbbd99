#include "pg/pool.h"

#include <format>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "observe/log.h"

namespace shopbell::pg {

namespace {
constexpr Query kBegin{.name = "pg.begin", .timeout = limits::kQueryTimeout, .sql = "BEGIN"};
constexpr Query kSetLockTimeout{.name = "pg.set_patience",
                                .timeout = limits::kQueryTimeout,
                                .sql = "SELECT set_config('lock_timeout', $1, true)"};
constexpr Query kCommit{.name = "pg.commit", .timeout = limits::kQueryTimeout, .sql = "COMMIT"};
constexpr Query kRollback{
    .name = "pg.rollback", .timeout = limits::kQueryTimeout, .sql = "ROLLBACK"};
}  // namespace

void Health::troubled(const std::string& why) {
  const std::scoped_lock lock{mutex_};
  last_trouble_ = why;
}

std::string Health::trouble() const {
  const int connected = connected_;
  const int wanted = wanted_;
  if (connected == wanted) return {};
  const std::scoped_lock lock{mutex_};
  return std::format("PostgreSQL: {} of {} connections are open: {}", connected, wanted,
                     last_trouble_);
}

Pool::Pool(asio::io_context& loop, Settings settings, observe::Metrics& metrics, Health& health)
    : loop_{loop},
      settings_{std::move(settings)},
      metrics_{metrics},
      health_{health},
      standing_{connect(settings_.shared + settings_.writing)},
      shared_{std::span{standing_}.first(settings_.shared)},
      commits_{loop_,
               {standing_.begin() + static_cast<std::ptrdiff_t>(settings_.shared), standing_.end()},
               metrics_} {
  asio::co_spawn(loop_, sweep(), asio::detached);
}

Terms Pool::terms() const {
  return {.url = settings_.url,
          .transaction_most = settings_.transaction_most,
          .sort_megabytes = settings_.sort_megabytes};
}

std::vector<std::shared_ptr<Connection>> Pool::connect(std::size_t count) {
  health_.expect(static_cast<int>(count));
  std::vector<std::shared_ptr<Connection>> connections;
  connections.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    connections.push_back(std::make_shared<Connection>(
        loop_, terms(), metrics_,
        [this, alive = alive_, stood = false](const Connection& connection) mutable {
          if (!*alive) return;
          const bool stands = connection.connected();
          if (stands && !stood) {
            health_.connected();
            observe::log(observe::Level::info, "database connected");
          } else if (!stands && stood) {
            health_.lost();
            observe::log(observe::Level::warn, "database lost", {{"why", connection.trouble()}});
          }
          if (!stands) health_.troubled(connection.trouble());
          stood = stands;
        }));
    connections.back()->start();
  }
  return connections;
}

Pool::~Pool() {
  *alive_ = false;
  for (const auto& connection : standing_) connection->stop();
  for (const auto& exclusive : exclusive_) exclusive->connection->stop();
}

asio::awaitable<void> Pool::sweep() {
  for (const auto alive = alive_; *alive;) {
    const auto now = Steady::now();
    for (const auto& connection : standing_) connection->expire(now);
    commits_.expire(now);
    for (const auto& exclusive : exclusive_) exclusive->connection->expire(now);
    co_await runtime::sleep_for(limits::kSweepInterval);
  }
}

asio::awaitable<void> Pool::wait_connected(Steady::time_point deadline) {
  const auto stands = [](const auto& connection) { return connection->connected(); };
  while (!std::ranges::all_of(standing_, stands)) {
    if (Steady::now() >= deadline)
      throw Error{Error::Kind::unavailable,
                  (*std::ranges::find_if_not(standing_, stands))->trouble()};
    co_await runtime::sleep_for(std::chrono::milliseconds{2});
  }
}

asio::awaitable<Results> Pool::run(Group group, Scope scope) {
  const auto load = [](const auto& connection) {
    return connection->connected() ? connection->in_flight() : limits::kGroupsPerConnection;
  };
  return (*std::ranges::min_element(shared_, {}, load))->run(std::move(group), scope);
}

asio::awaitable<Pool::Exclusive*> Pool::acquire(Scope scope) {
  const auto give_up_at = std::min(scope.deadline, Steady::now() + limits::kRequestDeadline);
  const auto is_own = [&](const auto& exclusive) {
    return exclusive->busy && scope.account && exclusive->account == scope.account;
  };
  while (true) {
    const bool below_account_limit = std::ranges::count_if(exclusive_, is_own) <
                                     static_cast<std::ptrdiff_t>(limits::kExclusivePerAccount);
    bool opening = false;
    for (const auto& exclusive : exclusive_) {
      if (exclusive->busy || !below_account_limit) continue;
      if (exclusive->connection->connected()) {
        exclusive->busy = true;
        exclusive->account = scope.account;
        co_return exclusive.get();
      }
      opening = true;
    }
    if (below_account_limit && !opening && exclusive_.size() < settings_.exclusive_max) {
      auto connection = std::make_shared<Connection>(loop_, terms(), metrics_,
                                                     [this, alive = alive_](const Connection&) {
                                                       if (*alive) ring_waiters();
                                                     });
      connection->start();
      exclusive_.push_back(std::make_unique<Exclusive>(Exclusive{std::move(connection)}));
    }
    if (Steady::now() >= give_up_at) {
      throw Error{Error::Kind::unavailable, "no connection for a transaction became free in time"};
    }
    runtime::Bell bell{loop_.get_executor()};
    waiters_.push_back(&bell);
    co_await bell.wait_for(give_up_at - Steady::now());
    std::erase(waiters_, &bell);
  }
}

void Pool::release(Exclusive& exclusive) {
  exclusive.busy = false;
  ring_waiters();
}

void Pool::ring_waiters() {
  for (auto* bell : waiters_) bell->ring();
}

asio::awaitable<Results> Transaction::run(Group group) {
  Group whole;
  if (std::exchange(state_, State::open) == State::not_begun) {  // also if BEGIN times out
    whole.add_own(kBegin);
    whole.add_own(kSetLockTimeout, std::to_string(limits::kExclusiveLockTimeout.count()));
  }
  whole.append(std::move(group));
  return exclusive_->connection->run(std::move(whole), scope_);
}

asio::awaitable<Results> Transaction::run_and_commit(Group group) {
  group.add(kCommit);
  Results results = co_await run(std::move(group));
  note_commit(results.back());
  results.pop_back();
  co_return results;
}

asio::awaitable<void> Transaction::commit() {
  if (state_ != State::open) co_return;  // nothing has run, or it is committed
  note_commit(co_await query(kCommit));
}

void Transaction::note_commit(const Result& result) {
  state_ = State::committed;
  // COMMIT of a failed transaction rolls back, and only the command tag shows it.
  if (result.command() != "COMMIT") {
    throw Error{"a failed transaction cannot commit", "25P02", "", std::string{kCommit.name}};
  }
}

asio::awaitable<void> Transaction::rollback() {
  if (state_ != State::open) co_return;
  try {
    co_await query(kRollback);
  } catch (const Error&) {
    exclusive_->connection->drop();
  }
}

}  // namespace shopbell::pg
