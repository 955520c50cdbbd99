#include <algorithm>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "pg/migrate.h"
#include "testing/database.h"

namespace shopbell::pg {
namespace {

class MigrateTest : public ::testing::Test {
 protected:
  MigrateTest() { owner_.run("DROP TABLE schema_migration"); }

  int apply(std::vector<Migration> migrations) {
    return migrate(owner_, migrations, [](std::string_view) {});
  }
  bool exists(const std::string& table) {
    const std::array<std::string, 1> name{table};
    return owner_.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", name).size() == 1;
  }

  shopbell::testing::TestDatabase database_;
  Script owner_{database_.owner_url()};
};

constexpr Migration kOne{"0001_one", "CREATE TABLE one (n int)"};
constexpr Migration kTwo{"0002_two", "CREATE TABLE two (n int)"};

TEST_F(MigrateTest, applies_each_missing_migration_once) {
  EXPECT_EQ(apply({kOne}), 1);
  EXPECT_EQ(apply({kOne, kTwo}), 1);
  EXPECT_EQ(apply({kOne, kTwo}), 0);
  EXPECT_TRUE(exists("two"));
}

TEST_F(MigrateTest, a_failed_migration_is_rolled_back) {
  EXPECT_THROW(apply({{"0001_bad", "CREATE TABLE half (n int); SELECT 1/0"}}), Error);
  Script again{database_.owner_url()};
  EXPECT_EQ(again.query("SELECT 1 FROM schema_migration").size(), 0U);
  EXPECT_FALSE(exists("half"));
}

TEST_F(MigrateTest, refuses_a_different_history) {
  apply({kOne, kTwo});
  EXPECT_THROW(apply({kOne}), std::runtime_error);  // the database is newer than the list
  EXPECT_THROW(apply({{"0001_one", "CREATE TABLE other (n int)"}, kTwo}),
               std::runtime_error);  // the migration's text was edited
}

TEST_F(MigrateTest, steps_of_an_online_migration_run_outside_a_transaction) {
  EXPECT_EQ(apply({kOne,
                   {"0002_index",
                    "-- online\nDROP INDEX CONCURRENTLY IF EXISTS one_n\n-- step\nCREATE INDEX "
                    "CONCURRENTLY one_n ON one (n)"}}),
            2);
  EXPECT_TRUE(exists("one_n"));
}

TEST_F(MigrateTest, a_failed_online_migration_can_be_repeated) {
  const Migration index{"0002_index",
                        "-- online\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS one_n ON one (n)"
                        "\n-- step\nCREATE INDEX CONCURRENTLY IF NOT EXISTS one_more ON one (n)"};
  apply({kOne});
  owner_.run("INSERT INTO one VALUES (1), (1)");
  const std::vector<Migration> both{kOne, index};
  {
    Script failing{database_.owner_url()};  // a failed run keeps its lock until it disconnects
    EXPECT_THROW(migrate(failing, both, [](std::string_view) {}), Error);
  }
  EXPECT_TRUE(exists("one_n"));  // the index exists, but is invalid
  owner_.run("DELETE FROM one");
  EXPECT_EQ(apply(both), 1);
  EXPECT_EQ(
      owner_.query("SELECT 1 FROM pg_index WHERE indrelid = 'one'::regclass AND indisvalid").size(),
      2U);
}

TEST_F(MigrateTest, a_step_runs_the_statements_that_its_query_returns) {
  apply({kOne,
         {"0002_indexes",
          "-- online\n-- each row\nSELECT format('CREATE INDEX CONCURRENTLY one_%s ON one (n)', i) "
          "AS statement FROM generate_series(1, 2) i"}});
  EXPECT_TRUE(exists("one_1"));
  EXPECT_TRUE(exists("one_2"));
}

TEST_F(MigrateTest, no_session_queues_behind_a_blocked_migration) {
  apply({kOne});
  Script reader{database_.owner_url()};
  reader.run("BEGIN; SELECT * FROM one");
  std::jthread migrating{[this] { apply({kOne, {"0002_more", "ALTER TABLE one ADD m int"}}); }};
  Script neighbour{database_.owner_url()};
  using Steady = std::chrono::steady_clock;
  Steady::duration longest{};
  const auto until = Steady::now() + std::chrono::milliseconds{800};
  while (Steady::now() < until) {
    const auto began = Steady::now();
    neighbour.run("SELECT * FROM one");
    longest = std::max(longest, Steady::now() - began);
  }
  EXPECT_EQ(neighbour.query("SELECT 1 FROM schema_migration").size(), 1U);
  EXPECT_LT(longest, std::chrono::milliseconds{500});
  reader.run("COMMIT");
  migrating.join();
  EXPECT_EQ(neighbour.query("SELECT m FROM one").size(), 0U);
}

TEST_F(MigrateTest, lists_missing_and_newer_migrations) {
  const std::vector<Migration> both{kOne, kTwo};
  EXPECT_EQ(standing_of(owner_, both).missing, (std::vector<std::string>{"0001_one", "0002_two"}));
  EXPECT_FALSE(exists("schema_migration"));
  apply({kOne});
  EXPECT_EQ(standing_of(owner_, both).missing, std::vector<std::string>{"0002_two"});
  apply(both);
  EXPECT_TRUE(standing_of(owner_, both).missing.empty());
  EXPECT_TRUE(standing_of(owner_, both).newer.empty());
  const std::vector<Migration> first{kOne};
  EXPECT_TRUE(standing_of(owner_, first).missing.empty());
  EXPECT_EQ(standing_of(owner_, first).newer, std::vector<std::string>{"0002_two"});
  const std::vector<Migration> edited{{"0001_one", "CREATE TABLE other (n int)"}};
  EXPECT_THROW(standing_of(owner_, edited), std::runtime_error);
}

TEST_F(MigrateTest, a_rehearsal_is_rolled_back) {
  apply({kOne});
  const std::vector<Migration> all{
      kOne,
      kTwo,
      {"0003_slow", "ALTER TABLE one ADD m int; ALTER TABLE two ADD m int; SELECT pg_sleep(1.1)"},
      {"0004_index", "-- online\nCREATE INDEX CONCURRENTLY one_m ON one (m)"},
      {"0005_after", "SELECT 1/0"}};
  std::vector<Rehearsed> reported;
  EXPECT_EQ(
      rehearse(owner_, all, [&](const Rehearsed& rehearsed) { reported.push_back(rehearsed); }), 4);
  ASSERT_EQ(reported.size(), 4U);
  EXPECT_TRUE(reported[0].tried && reported[1].tried);
  EXPECT_FALSE(reported[2].tried || reported[3].tried);
  EXPECT_TRUE(reported[0].locked.empty());
  EXPECT_GE(reported[1].took.count(), 1100);
  EXPECT_EQ(reported[1].locked,
            std::vector<std::string>{"one"});  // `two` is new: no other session sees it yet
  EXPECT_FALSE(exists("two"));
  EXPECT_EQ(apply({kOne, kTwo}), 1);
}

TEST_F(MigrateTest, a_failed_rehearsal_is_rolled_back_and_gives_up_on_a_lock) {
  const std::vector<Migration> bad{kOne, {"0002_bad", "SELECT 1/0"}};
  const auto ignore = [](const Rehearsed&) {};
  EXPECT_THROW(rehearse(owner_, bad, ignore), Error);
  EXPECT_FALSE(exists("one"));
  apply({kOne});
  Script other{database_.owner_url()};
  other.run("BEGIN; LOCK TABLE one");
  const std::vector<Migration> blocked{kOne, {"0002_blocked", "ALTER TABLE one ADD m int"}};
  EXPECT_THROW(rehearse(owner_, blocked, ignore), Error);
  other.run("ROLLBACK");
  EXPECT_EQ(rehearse(owner_, blocked, ignore), 1);
}

}  // namespace
}  // namespace shopbell::pg
