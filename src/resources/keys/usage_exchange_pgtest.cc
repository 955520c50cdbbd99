#include <thread>

#include <gtest/gtest.h>

#include "rates/usage_exchange.h"
#include "resources/keys/key_store.h"
#include "resources/store/accounts.h"
#include "testing/database.h"

namespace shopbell::keys {
namespace {

using namespace std::chrono_literals;
using rates::Allowance;
using rates::Bucket;
using rates::KeyUse;
using rates::Rate;
using rates::RateLimits;
using rates::UsageExchange;
using runtime::run_to_end;
using runtime::Steady;

constexpr Rate kSlow{.per_second = 1, .burst = 100};  // a test sees almost no refill

// One of several processes that share rate limits.
struct Process {
  Process(boost::asio::io_context& loop, pg::Pool& pool) : exchange{loop, pool, limits, keys} {}

  std::int64_t take(const Bucket& bucket, int times) {
    Allowance allowance;
    for (int i = 0; i < times; ++i) allowance = limits.take(bucket, kSlow, Steady::now());
    return allowance.remaining;
  }

  observe::Metrics metrics;
  RateLimits limits{metrics};
  KeyUse keys;
  UsageExchange exchange;
};

class UsageExchangeTest : public ::testing::Test {
 protected:
  void exchange(Process& process) { run_to_end(database_.loop, process.exchange.exchange()); }

  std::int64_t count(const std::string& sql) {
    return pg::Script{database_.admin_url()}
        .query(std::format("SELECT (SELECT {}) AS n", sql))[0]
        .integer("n");
  }

  shopbell::testing::TestDatabase database_;
  keyring::Keyring keyring_ = database_.keyring();
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  Process one_{database_.loop, *worker_};
  Process other_{database_.loop, *worker_};
};

TEST_F(UsageExchangeTest, processes_learn_what_others_used) {
  const Bucket account{.account = 5};
  const Bucket key{.account = 5, .key = Uuid::v7(system_clock().now())};
  one_.take(account, 40);
  one_.take(key, 10);
  other_.take(account, 1);
  other_.take(key, 1);
  exchange(one_);
  exchange(other_);
  for (const auto& use : other_.limits.use(Steady::now())) {
    const double used = use.bucket == key ? 11 : 41;
    EXPECT_NEAR(use.left, 100 - used, 5);
  }
  one_.take(account, 20);
  exchange(one_);
  exchange(other_);
  exchange(other_);  // an exchange without new use counts nothing twice
  for (const auto& use : other_.limits.use(Steady::now())) {
    const double used = use.bucket == key ? 11 : 61;
    EXPECT_NEAR(use.left, 100 - used, 8);
  }
}

TEST_F(UsageExchangeTest, use_by_one_process_is_deducted_in_the_other) {
  const Bucket account{.account = 5};
  EXPECT_EQ(one_.take(account, 100), 0);
  EXPECT_EQ(other_.take(account, 100), 0);
  exchange(one_);
  exchange(other_);
  exchange(one_);
  for (Process* process : {&one_, &other_}) {
    const auto allowance = process->limits.take(account, kSlow, Steady::now());
    EXPECT_FALSE(allowance.granted);
    EXPECT_GT(allowance.retry_seconds, 50);  // the other process has used 100, too
  }
}

TEST_F(UsageExchangeTest, without_use_nothing_is_written) {
  one_.take({.account = 5}, 1);
  exchange(one_);
  EXPECT_EQ(count("count(*) FROM bucket_use"), 1);
  EXPECT_EQ(count("count(*) FROM bucket_use WHERE at BETWEEN now() - interval '5 s' AND now()"), 1);
  pg::Script{database_.admin_url()}.run("DELETE FROM bucket_use");
  exchange(one_);
  EXPECT_EQ(count("count(*) FROM bucket_use"), 0);
}

TEST_F(UsageExchangeTest, rows_of_silent_processes_are_deleted) {
  one_.take({.account = 5}, 1);
  one_.take({.account = 6}, 1);
  exchange(one_);
  pg::Script{database_.admin_url()}.run(
      "UPDATE bucket_use SET at = now() - interval '61 s' WHERE account_id = 5");
  exchange(other_);
  EXPECT_EQ(count("count(*) FROM bucket_use"), 1);
  EXPECT_EQ(count("account_id FROM bucket_use"), 6);
}

TEST_F(UsageExchangeTest, the_use_of_a_key_is_written_once_a_minute) {
  const store::CreatedAccount account = run_to_end(
      database_.loop, store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"},
                                            system_clock().now()));
  run_to_end(database_.loop, create_key(*worker_, {}, keyring_, {account.live, "test", {}, {}},
                                        system_clock().now()));
  const Uuid key =
      pg::Script{database_.admin_url()}.query("SELECT key_id FROM api_key")[0].uuid("key_id");
  const auto age = [&](const char* between) {
    return count(std::string{"count(*) FROM key_use WHERE now() - last_used_at BETWEEN "} +
                 between);
  };
  const auto now = Steady::now();
  one_.keys.note(account.live, key, now - 30s);
  one_.keys.note(account.live, Uuid::v7(system_clock().now()), now);  // a deleted key
  one_.keys.note(4711, key, now);
  exchange(one_);
  EXPECT_EQ(count("count(*) FROM key_use"), 1);
  EXPECT_EQ(age("interval '29 s' AND interval '35 s'"), 1);
  one_.keys.note(account.live, key, now);
  exchange(one_);
  EXPECT_EQ(age("interval '29 s' AND interval '35 s'"), 1);  // stored at most once a minute
  other_.keys.note(account.live, key, now - 10s);
  for (int i = 0; i < 3; ++i) other_.keys.note_deprecated(account.live, key);
  exchange(other_);
  EXPECT_EQ(count("deprecated_requests FROM key_use"), 3);
  EXPECT_EQ(age("interval '9 s' AND interval '15 s'"), 1);
  Process third{database_.loop, *worker_};
  third.keys.note(account.live, key, now - 20s);  // a time before the stored one
  exchange(third);
  EXPECT_EQ(age("interval '9 s' AND interval '15 s'"), 1);
}

TEST(KeyUse, is_due_once_a_minute_and_removed_when_written) {
  KeyUse use;
  const Uuid key = Uuid::v7(system_clock().now());
  const Steady::time_point start{1000s};
  use.note(1, key, start);
  EXPECT_EQ(use.due(start).size(), 1U);
  EXPECT_EQ(use.due(start + 1s).size(), 1U);  // a failed write is due again
  use.written(use.due(start + 1s), start + 1s);
  EXPECT_EQ(use.due(start + 2s).size(), 0U);
  use.note(1, key, start + 30s);
  EXPECT_EQ(use.due(start + 60s).size(), 0U);
  const auto used = use.due(start + 61s);
  ASSERT_EQ(used.size(), 1U);
  EXPECT_EQ(used[0].at, start + 30s);
  use.written(used, start + 61s);
  EXPECT_EQ(use.due(start + 121s).size(), 0U);
}

TEST_F(UsageExchangeTest, the_api_role_reads_the_use_of_its_own_keys_and_writes_none) {
  pg::Script admin{database_.admin_url()};
  const auto accounts = run_to_end(
      database_.loop, store::create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"},
                                            system_clock().now()));
  for (const std::int64_t account : {accounts.live, accounts.test}) {
    run_to_end(database_.loop,
               create_key(*worker_, {}, keyring_, {account, "test", {}, {}}, system_clock().now()));
  }
  admin.run("INSERT INTO key_use SELECT account_id, key_id, now() FROM api_key");
  pg::Script api{database_.api_url()};
  const auto seen = [&] { return api.query("SELECT count(*) AS n FROM key_use")[0].integer("n"); };
  EXPECT_EQ(seen(), 0);
  api.run(std::format("SET shopbell.account = {}", accounts.live));
  EXPECT_EQ(seen(), 1);
  for (const char* forbidden : {"UPDATE key_use SET last_used_at = now()", "DELETE FROM key_use",
                                "SELECT * FROM bucket_use", "DELETE FROM bucket_use"}) {
    EXPECT_THROW(api.run(forbidden), pg::Error) << forbidden;
  }
}

// The table disappears and comes back. Exchanges fail, limits hold, and the use is reported after
// the outage.
TEST_F(UsageExchangeTest, survives_database_errors_and_stops) {
  const Bucket account{.account = 5};
  pg::Script admin{database_.admin_url()};
  one_.take(account, 10);
  bool ended = false;
  database_.loop.restart();
  boost::asio::co_spawn(database_.loop, one_.exchange.run(),
                        [&](std::exception_ptr failure) { ended = !failure; });
  const auto reported = [&](std::int64_t used) {
    const auto until = Steady::now() + 5s;
    const std::string sql =
        std::format("SELECT used - counted_from = {} AS yes FROM bucket_use", used);
    while (Steady::now() < until) {
      database_.loop.run_for(50ms);
      const pg::Result result = admin.query(sql);
      if (!result.empty() && result[0].boolean("yes")) return true;
    }
    return false;
  };
  EXPECT_TRUE(reported(10));
  admin.run("ALTER TABLE bucket_use RENAME TO elsewhere");
  one_.take(account, 20);
  database_.loop.run_for(2500ms);
  EXPECT_EQ(one_.take(account, 100), 0);  // the limits in memory still apply
  admin.run("ALTER TABLE elsewhere RENAME TO bucket_use");
  admin.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
      " WHERE usename = 'shopbell_worker' AND datname = current_database()");
  const auto used = one_.limits.use(Steady::now()).front();
  EXPECT_TRUE(reported(used.used - used.first));
  EXPECT_FALSE(ended);
  boost::asio::post(database_.loop, [&] { one_.exchange.stop(); });
  const auto stopped_at = Steady::now();
  while (!ended && Steady::now() - stopped_at < 2s) database_.loop.run_for(10ms);
  EXPECT_TRUE(ended);
  EXPECT_LT(Steady::now() - stopped_at, 1200ms);
}

}  // namespace
}  // namespace shopbell::keys
