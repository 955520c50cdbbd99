// The chore that merges the numbers of workflows: every change counts once, whoever merges or
// reads.
#include <chrono>
#include <format>
#include <thread>

#include <gtest/gtest.h>

#include "app/service/queries.h"
#include "pg/script.h"
#include "runtime/wait.h"
#include "testing/database.h"

namespace shopbell::app {
namespace {

using runtime::run_to_end;

class CountsTest : public ::testing::Test {
 protected:
  // Merges one batch, and returns its number of rows.
  std::int64_t merge(std::int64_t batch = 1000) {
    return run_to_end(database_.loop, worker_->query({}, service::sql::merge_counts, batch))[0]
        .integer("count");
  }
  void merge_all(std::int64_t batch = 1000) {
    while (merge(batch) > 0) continue;
  }
  // Merges until reads start behind that row. Transactions of other tests on this server delay it.
  void merge_through(std::int64_t number) {
    for (int i = 0; i < 300 && through() < number; ++i) {
      merge_all();
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    EXPECT_GE(through(), number);
  }
  static std::string added(int people, std::string_view counter = "entered") {
    return std::format(
        "INSERT INTO count_delta (account_id, workflow_id, node, counter, delta) VALUES "
        "(1, '019a8412-7c00-7abc-8def-000000000001', '', '{}', {})",
        counter, people);
  }
  std::string text(const std::string& sql) {
    return admin_.query(std::format("SELECT coalesce(({})::text, '') AS it", sql))[0].text("it");
  }
  // The sum that readers see, and the sum of the merged rows.
  std::string numbers() {
    return text(
        "SELECT (SELECT sum(people) FROM workflow_number WHERE counter = 'entered') || ' ' || "
        "(SELECT coalesce(sum(people), 0) FROM node_count WHERE counter = 'entered')");
  }
  std::int64_t through() { return std::stoll(text("SELECT through FROM count_merge")); }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
};

TEST_F(CountsTest, adds_amounts_that_exceed_a_bigint) {
  const auto add = [&](std::string_view amount) {
    admin_.run(std::format(
        "INSERT INTO count_delta (account_id, workflow_id, node, counter, delta, amount) "
        "VALUES (1, '019a8412-7c00-7abc-8def-000000000001', '', 'revenue', 0, {})",
        amount));
  };
  const std::string sum = "SELECT sum(amount) FROM workflow_number WHERE counter = 'revenue'";
  for (int i = 0; i < 20; ++i) add("999999999999999999.999999");
  EXPECT_EQ(text(sum), "19999999999999999999.999980");
  merge_all(7);
  add("-0.5");
  EXPECT_EQ(text(sum), "19999999999999999999.499980");
  merge_all();
  EXPECT_EQ(text(sum), "19999999999999999999.499980");
  EXPECT_EQ(text("SELECT count(*) FROM count_delta"), "0");
}

TEST_F(CountsTest, moves_every_change_once) {
  for (int i = 0; i < 5; ++i) admin_.run(added(2));
  admin_.run(added(-1));
  admin_.run(added(7, "exited"));
  EXPECT_EQ(numbers(), "9 0");
  EXPECT_EQ(merge(4), 4);
  EXPECT_EQ(numbers(), "9 8");
  merge_all(4);
  EXPECT_EQ(numbers(), "9 9");
  EXPECT_EQ(text("SELECT count(*) FROM count_delta"), "0");
  admin_.run(added(1));
  EXPECT_EQ(numbers(), "10 9");
  merge_all();
  EXPECT_EQ(numbers(), "10 10");
  EXPECT_EQ(text("SELECT people FROM node_count WHERE counter = 'exited'"), "7");
}

TEST_F(CountsTest, one_process_merges_at_a_time) {
  admin_.run(added(3));
  pg::Script other{database_.admin_url()};
  other.run("BEGIN; SELECT FROM count_merge FOR UPDATE");
  EXPECT_EQ(merge(), 0);
  EXPECT_EQ(numbers(), "3 0");
  other.run("ROLLBACK");
  EXPECT_EQ(merge(), 1);
  EXPECT_EQ(numbers(), "3 3");
}

TEST_F(CountsTest, a_transaction_in_flight_is_counted_when_it_ends) {
  pg::Script slow{database_.admin_url()};
  slow.run("BEGIN; SELECT pg_current_xact_id();" + added(100));
  const std::int64_t number = std::stoll(text("SELECT last_value FROM count_delta_number_seq"));
  for (int i = 0; i < 4; ++i) {
    admin_.run(added(1));
    merge_all();
  }
  EXPECT_EQ(numbers(), "4 4");
  EXPECT_LT(through(), number);
  slow.run("COMMIT");
  EXPECT_EQ(numbers(), "104 4");
  merge_all();
  EXPECT_EQ(numbers(), "104 104");
}

TEST_F(CountsTest, reads_start_behind_the_merged_rows_that_a_long_snapshot_keeps) {
  pg::Script snapshot{database_.admin_url()};
  snapshot.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 50; ++j) admin_.run(added(1));
    merge_all(20);
  }
  merge_through(100);
  admin_.run(added(1));
  EXPECT_EQ(numbers(), "151 150");
  EXPECT_EQ(snapshot.query("SELECT count(*)::text AS it FROM node_count")[0].text("it"), "0");
}

TEST_F(CountsTest, starts_again_after_a_restore_with_lower_transaction_ids) {
  admin_.run("UPDATE count_merge SET next_through = 5, next_xmax = '9000000000'");
  for (int i = 0; i < 9; ++i) admin_.run(added(1));
  merge_all();
  admin_.run(added(1));
  merge_all();
  EXPECT_EQ(numbers(), "10 10");
  merge_through(9);
}

}  // namespace
}  // namespace shopbell::app
