#include <array>
#include <csignal>
#include <format>
#include <set>

#include <boost/asio/detached.hpp>
#include <gtest/gtest.h>

#include "pg/pool.h"
#include "testing/database.h"

namespace shopbell::pg {
namespace {

using namespace std::chrono_literals;
using runtime::run_to_end;

constexpr auto kTime = limits::kQueryTimeout;
constexpr Query kInsert{"test.insert", kTime, "INSERT INTO ledger (n) VALUES ($1::bigint)"};
constexpr Query kEcho{"test.echo", kTime, "SELECT $1::bigint AS n, $2 AS word"};
constexpr Query kAll{"test.all", kTime, "SELECT n FROM ledger ORDER BY n"};
constexpr Query kConstraint{"test.constraint", kTime,
                            "INSERT INTO ledger (n) VALUES (-1 - $1::bigint)"};
constexpr Query kGuard{"test.guard", kTime,
                       "SELECT require($1::bigint < 0, 'SB001', 'not negative')"};
constexpr Query kSyntax{"test.syntax", kTime, "SELEC $1"};
constexpr Query kType{"test.type", kTime, "SELECT ('x' || $1)::bigint"};
constexpr Query kSlow{"test.slow", 15ms, "SELECT pg_sleep(5 + $1::bigint)"};
constexpr Query kAccount{"test.account", kTime, "SELECT current_account() AS account"};
constexpr Query kFull{"test.full", kTime, "SELECT require($1::bigint < 0, '53100', 'no room')"};
constexpr Query kDie{"test.die", kTime, "SELECT pg_terminate_backend(pg_backend_pid())"};

struct Breakage {
  const Query* query;
  std::string sqlstate;
};
const std::vector<Breakage> kBreakages{{&kConstraint, "23514"},
                                       {&kGuard, "SB001"},
                                       {&kSyntax, "42601"},
                                       {&kType, "22P02"},
                                       {&kSlow, "57014"}};

class PoolTest : public ::testing::Test {
 protected:
  PoolTest() {
    Script admin{database_.admin_url()};
    admin.run(
        "CREATE TABLE ledger (n bigint PRIMARY KEY CHECK (n >= 0)); GRANT ALL ON ledger TO "
        "shopbell_api");
  }

  std::set<std::int64_t> ledger() {
    const Result result = run_to_end(database_.loop, pool_->query({}, kAll));
    std::set<std::int64_t> all;
    for (std::size_t i = 0; i < result.size(); ++i) all.insert(result[i].integer("n"));
    return all;
  }

  shopbell::testing::TestDatabase database_;
  std::unique_ptr<Pool> pool_ = database_.pool(database_.api_url(), 4);
};

// The outcome of one caller.
struct Seen {
  std::string wrong;  // empty: the outcome is as expected
  bool stored = false;
};

// Caller n stores n and reads it back; every tenth group has a broken statement, first, in the
// middle or last.
using Way = asio::awaitable<Results> (Pool::*)(Group, Scope);

asio::awaitable<Seen> call(Pool& pool, Way way, std::int64_t n) {
  const bool broken = n % 10 == 0;
  const std::size_t which = static_cast<std::size_t>(n / 10);
  const Breakage& breakage = kBreakages[which % kBreakages.size()];
  const std::size_t place = which / kBreakages.size() % 3;
  Group group;
  for (std::size_t i = 0; i < 3; ++i) {
    if (broken && i == place) group.add(*breakage.query, n);
    if (i == 0) group.add(kInsert, n);
    if (i == 1) group.add(kEcho, n, std::format("word {}", n));
  }
  try {
    const Results results = co_await (pool.*way)(std::move(group), {.account = n % 7 + 1});
    if (broken) co_return Seen{.wrong = "a broken group gave results", .stored = true};
    const bool own = results.size() == 2 && results[1][0].integer("n") == n &&
                     results[1][0].text("word") == std::format("word {}", n);
    co_return Seen{.wrong = own ? "" : "another caller's result", .stored = true};
  } catch (const Error& error) {
    const bool own = broken && error.kind() == Error::Kind::refused &&
                     error.sqlstate() == breakage.sqlstate && error.query() == breakage.query->name;
    co_return Seen{
        .wrong = own ? "" : std::format("{} {} {}", error.sqlstate(), error.query(), error.what())};
  }
}

class PoolWays : public PoolTest, public ::testing::WithParamInterface<Way> {};
INSTANTIATE_TEST_SUITE_P(Ways, PoolWays, ::testing::Values(&Pool::run, &Pool::commit),
                         [](const auto& tested) { return tested.index == 0 ? "run" : "commit"; });

TEST_P(PoolWays, thousands_of_groups_each_get_exactly_their_own_result) {
  // Each refusal makes its whole batch retry, so fewer callers suffice.
  const std::int64_t callers = GetParam() == &Pool::commit ? 2'000 : 10'000;
  std::int64_t left = callers;
  std::set<std::int64_t> stored;
  std::vector<std::string> wrong;
  for (std::int64_t n = 0; n < callers; ++n) {
    asio::co_spawn(database_.loop, call(*pool_, GetParam(), n),
                   [&, n](std::exception_ptr failure, Seen seen) {
                     if (failure) wrong.emplace_back("an unexpected exception");
                     if (!seen.wrong.empty()) wrong.push_back(std::format("{}: {}", n, seen.wrong));
                     if (seen.stored) stored.insert(n);
                     if (--left == 0) database_.loop.stop();
                   });
  }
  database_.loop.restart();
  database_.loop.run();
  EXPECT_EQ(left, 0);
  EXPECT_TRUE(wrong.empty()) << wrong.size() << " wrong, the first: " << wrong.front();
  EXPECT_EQ(stored.size(), callers - callers / 10);
  EXPECT_EQ(ledger(), stored);
}

TEST_F(PoolTest, the_account_of_a_group_survives_the_failure_of_the_one_before_it) {
  const auto work = [](Pool& pool) -> asio::awaitable<std::vector<std::int64_t>> {
    std::vector<std::int64_t> seen;
    for (const std::int64_t account : {11, 12, 12, 11}) {
      Group broken;
      broken.add(kGuard, 1);
      try {
        co_await pool.run(std::move(broken), {.account = account});
      } catch (const Error&) {
      }
      const Result result = co_await pool.query({.account = account}, kAccount);
      seen.push_back(result[0].integer("account"));
    }
    co_return seen;
  };
  auto single = database_.pool(database_.api_url());
  EXPECT_EQ(run_to_end(database_.loop, work(*single)), (std::vector<std::int64_t>{11, 12, 12, 11}));
}

TEST_F(PoolTest, groups_of_one_commit_keep_their_own_accounts) {
  constexpr std::int64_t kCallers = 300;
  std::int64_t left = kCallers;
  std::int64_t wrong = 0;
  for (std::int64_t n = 1; n <= kCallers; ++n) {
    Group group;
    group.add(kAccount);
    asio::co_spawn(database_.loop, pool_->commit(std::move(group), {.account = n % 5 + 1}),
                   [&, n](std::exception_ptr failure, const Results& results) {
                     if (failure || results[0][0].integer("account") != n % 5 + 1) ++wrong;
                     if (--left == 0) database_.loop.stop();
                   });
  }
  database_.loop.restart();
  database_.loop.run();
  EXPECT_EQ(wrong, 0);
  const std::string text = database_.metrics.text();
  EXPECT_TRUE(text.contains("shopbell_committed_groups_total 300")) << text;
  EXPECT_FALSE(text.contains("shopbell_commits_total 300")) << "each group committed alone";
}

// Retrying the halves would only repeat the refusal, many times, on a server without space.
TEST_F(PoolTest, a_full_disk_fails_every_group_of_the_commit_at_once) {
  constexpr std::int64_t kCallers = 10;
  auto single = database_.pool(database_.api_url());
  std::int64_t left = kCallers;
  std::int64_t refused = 0;
  for (std::int64_t n = 0; n < kCallers; ++n) {
    Group group;
    group.add(n == 7 ? kFull : kInsert, n);
    asio::co_spawn(database_.loop, single->commit(std::move(group), {}),
                   [&](std::exception_ptr failure, const Results&) {
                     try {
                       if (failure) std::rethrow_exception(failure);
                     } catch (const Error& error) {
                       if (error.sqlstate() == "53100" && error.is_outage()) ++refused;
                     }
                     if (--left == 0) database_.loop.stop();
                   });
  }
  database_.loop.restart();
  database_.loop.run();
  EXPECT_EQ(refused, kCallers);
  EXPECT_EQ(ledger(), std::set<std::int64_t>{});
}

TEST_F(PoolTest, a_failed_commit_is_reported) {
  Script{database_.admin_url()}.run(
      "CREATE TABLE late (n bigint UNIQUE DEFERRABLE INITIALLY DEFERRED); GRANT ALL ON late TO "
      "shopbell_api");
  constexpr Query kLate{"test.late", kTime, "INSERT INTO late (n) VALUES ($1::bigint)"};
  Group twice;
  twice.add(kLate, 7).add(kLate, 7);
  try {
    run_to_end(database_.loop, pool_->run(std::move(twice), {}));
    FAIL() << "committed";
  } catch (const Error& error) {
    EXPECT_EQ(error.sqlstate(), "23505");
    EXPECT_EQ(error.query(), "commit");
  }
  EXPECT_TRUE(
      run_to_end(database_.loop, pool_->query({}, kAll)).empty());  // the connection still works
}

TEST_F(PoolTest, a_group_queued_for_commit_fails_at_its_deadline) {
  constexpr Query kSleep{"test.sleep", 2000ms, "SELECT pg_sleep(1)"};
  auto single = database_.pool(database_.api_url());
  const auto started = Steady::now();
  Group slow;
  slow.add(kSleep);
  asio::co_spawn(database_.loop, single->commit(std::move(slow), {}), asio::detached);
  Group behind;  // waits while the only writing connection is busy
  behind.add(kInsert, 77);
  EXPECT_THROW(
      run_to_end(database_.loop, single->commit(std::move(behind), {.deadline = started + 100ms})),
      Error);
  EXPECT_LT(Steady::now() - started, 600ms);
}

asio::awaitable<void> insert_and_throw(Transaction& transaction) {
  co_await transaction.query(kInsert, 1);
  throw std::runtime_error{"changed my mind"};
}
asio::awaitable<void> insert_and_fail(Transaction& transaction) {
  co_await transaction.query(kInsert, 2);
  co_await transaction.query(kGuard, 1);
}
asio::awaitable<void> insert_and_swallow(Transaction& transaction) {
  co_await transaction.query(kInsert, 3);
  try {
    co_await transaction.query(kGuard, 1);
  } catch (const Error&) {
  }
}
asio::awaitable<std::int64_t> insert(Transaction& transaction) {
  co_await transaction.query(kInsert, 4);
  co_return 4;
}

TEST_F(PoolTest, a_transaction_commits_only_on_success) {
  auto& loop = database_.loop;
  EXPECT_THROW(run_to_end(loop, pool_->transaction({}, insert_and_throw)), std::runtime_error);
  EXPECT_THROW(run_to_end(loop, pool_->transaction({}, insert_and_fail)), Error);
  EXPECT_THROW(run_to_end(loop, pool_->transaction({}, insert_and_swallow)),
               Error);  // COMMIT of a failed transaction rolls back
  EXPECT_EQ(ledger(), std::set<std::int64_t>{});
  EXPECT_EQ(run_to_end(loop, pool_->transaction({}, insert)), 4);
  EXPECT_EQ(ledger(), std::set<std::int64_t>{4});
}

constexpr Query kPid{"test.pid", kTime, "SELECT pg_backend_pid() AS pid"};

asio::awaitable<pid_t> pid_of(Transaction& transaction) {
  const Result result = co_await transaction.query(kPid);
  co_return static_cast<pid_t>(result[0].integer("pid"));
}
asio::awaitable<std::int64_t> account_of(Transaction& transaction) {
  const Result result = co_await transaction.query(kAccount);
  co_return result[0].integer("account");
}

// The await at which PostgreSQL stops responding until the transaction's deadline has passed.
enum class Await { begin, statement, commit, rollback };

class PoolDeadlines : public PoolTest, public ::testing::WithParamInterface<Await> {
 protected:
  // A transaction of account 1 whose backend freezes at the tested await.
  asio::awaitable<void> time_out(pid_t backend, Await await) {
    if (await == Await::begin) ::kill(backend, SIGSTOP);
    co_await pool_->transaction({.account = 1, .deadline = Steady::now() + 150ms},
                                [&](Transaction& transaction) -> asio::awaitable<void> {
                                  if (await == Await::statement) ::kill(backend, SIGSTOP);
                                  co_await transaction.query(kInsert, 9);
                                  if (await == Await::commit || await == Await::rollback)
                                    ::kill(backend, SIGSTOP);
                                  if (await == Await::rollback)
                                    throw Error{Error::Kind::timeout, "changed my mind"};
                                });
  }
};
std::string name_of(const ::testing::TestParamInfo<Await>& tested) {
  constexpr std::array kNames{"begin", "statement", "commit", "rollback"};
  return kNames[static_cast<std::size_t>(tested.param)];
}
INSTANTIATE_TEST_SUITE_P(Awaits, PoolDeadlines,
                         ::testing::Values(Await::begin, Await::statement, Await::commit,
                                           Await::rollback),
                         name_of);

// A transaction left open would swallow the next account's setting: its rollback would restore the
// setting of the account before.
TEST_P(PoolDeadlines, a_timed_out_transaction_leaves_nothing_to_the_next_account) {
  auto& loop = database_.loop;
  const pid_t backend = run_to_end(loop, pool_->transaction({.account = 1}, pid_of));
  EXPECT_THROW(run_to_end(loop, time_out(backend, GetParam())), Error);
  ::kill(backend, SIGCONT);
  EXPECT_THROW(run_to_end(loop, pool_->transaction({.account = 2}, insert_and_throw)),
               std::runtime_error);
  EXPECT_EQ(run_to_end(loop, pool_->transaction({.account = 2}, account_of)), 2);
}

TEST_F(PoolTest, a_lost_connection_fails_its_groups_and_reconnects) {
  auto single = database_.pool(database_.api_url());
  EXPECT_THROW(run_to_end(database_.loop, single->query({}, kDie)), Error);
  run_to_end(database_.loop, single->wait_connected(Steady::now() + 5s));
  const Result result = run_to_end(database_.loop, single->query({.account = 5}, kAccount));
  EXPECT_EQ(result[0].integer("account"), 5);
  EXPECT_EQ(database_.health.trouble(), "");
}

TEST_F(PoolTest, a_caller_waits_no_longer_than_its_deadline) {
  constexpr Query kSleep{"test.sleep", 2000ms, "SELECT pg_sleep(1)"};
  const auto started = Steady::now();
  try {
    run_to_end(database_.loop, pool_->query({.deadline = started + 100ms}, kSleep));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::timeout);
    EXPECT_TRUE(error.is_timeout());
  }
  EXPECT_LT(Steady::now() - started, 600ms);
}

TEST_F(PoolTest, reports_why_it_cannot_connect) {
  Health health;
  Pool nowhere{database_.loop, {.url = "postgresql://x@127.0.0.1:1/x"}, database_.metrics, health};
  EXPECT_THROW(run_to_end(database_.loop, nowhere.wait_connected(Steady::now() + 200ms)), Error);
  EXPECT_TRUE(health.trouble().contains("0 of 1 connections")) << health.trouble();
  EXPECT_TRUE(health.trouble().contains("refused")) << health.trouble();
  try {
    run_to_end(database_.loop, nowhere.query({}, kAll));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::unavailable);
  }
}

TEST_F(PoolTest, values_survive_a_round_trip) {
  constexpr Query kValues{
      "test.values", kTime,
      "SELECT $1::text[] AS texts, $2::bytea AS bytes, $3::timestamptz AS at, $4::boolean AS yes, "
      "$5::uuid AS id, $6::text AS nothing"};
  const std::vector<std::string> texts{
      "", "plain", "with \"quotes\", commas", "back\\slash", "{braces}", "NULL", "ü"};
  const Instant now = system_clock().now();
  const Uuid id = Uuid::v7(now);
  const std::array<std::uint8_t, 3> bytes{0, 255, 16};
  const Result result = run_to_end(
      database_.loop, pool_->query({}, kValues, texts, std::span<const std::uint8_t>{bytes}, now,
                                   true, id, std::nullopt));
  EXPECT_EQ(result[0].texts("texts"), texts);
  EXPECT_EQ(result[0].text("bytes"), "\\x00ff10");
  EXPECT_EQ(result[0].instant("at"), now);
  EXPECT_TRUE(result[0].boolean("yes"));
  EXPECT_EQ(result[0].uuid("id"), id);
  EXPECT_FALSE(result[0].maybe_text("nothing"));
  EXPECT_THROW(result[0].text("nothing"), std::logic_error);
  EXPECT_THROW(result[0].text("misspelt"), std::logic_error);
}

}  // namespace
}  // namespace shopbell::pg
