#include <format>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "events/partitions.h"
#include "testing/database.h"

namespace shopbell::events {
namespace {

using namespace std::chrono_literals;
using pg::Steady;
using runtime::run_to_end;

class PartitionsTest : public ::testing::Test {
 protected:
  // The name of the partition `months` months from now.
  std::string month(int months) {
    return admin_
        .query(std::format("SELECT to_char((now() AT TIME ZONE 'UTC') + interval '{} month', "
                           "'\"event_\"YYYY_MM') AS name",
                           months))[0]
        .text("name");
  }
  // Creates the partition of a past month, as the function does.
  std::string make_past(int months) {
    std::string name = month(-months);
    admin_.run(std::format(
        "CREATE TABLE {0} (LIKE event INCLUDING ALL EXCLUDING IDENTITY);"
        "ALTER TABLE event ATTACH PARTITION {0} FOR VALUES FROM ('{1}-01 00:00+00') TO ('{2}-01 "
        "00:00+00')",
        name, day_of(name), day_of(month(1 - months))));
    return name;
  }
  PartitionUpkeep keep() { return run_to_end(database_.loop, keep_partitions(*worker_)); }
  std::vector<std::string> all() {
    return admin_
        .query(
            "SELECT coalesce(array_agg(inhrelid::regclass::text ORDER BY "
            "inhrelid::regclass::text), '{}') AS names "
            "FROM pg_inherits WHERE inhparent = 'event'::regclass")[0]
        .texts("names");
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url(), 8);

 private:
  static std::string day_of(std::string name) {  // "event_2026_11" → "2026-11"
    name = name.substr(6);
    name[4] = '-';
    return name;
  }
};

using Names = std::vector<std::string>;

TEST_F(PartitionsTest, counts_the_months_that_have_a_partition) {
  EXPECT_EQ(keep().months_ahead, limits::kEventMonthsAhead);
  // A table with the name of a partition prevents the creation of that partition.
  admin_.run("ALTER TABLE event DETACH PARTITION " + month(1));
  EXPECT_EQ(keep().months_ahead, 0);
  admin_.run("ALTER TABLE event DETACH PARTITION " + month(0));
  EXPECT_EQ(keep().months_ahead, -1);
}

TEST_F(PartitionsTest, the_migration_creates_the_first_months_and_a_second_call_none) {
  const Names expected{month(0), month(1), month(2)};
  EXPECT_EQ(all(), expected);
  const PartitionUpkeep done = keep();
  EXPECT_EQ(done.made, Names{});
  EXPECT_EQ(done.dropped, Names{});
  EXPECT_TRUE(done.covered);
}

TEST_F(PartitionsTest, missing_months_are_created_completely) {
  admin_.run(std::format("DROP TABLE {}, {}", month(0), month(2)));
  const PartitionUpkeep done = keep();
  EXPECT_EQ(done.made, (Names{month(0), month(2)}));
  EXPECT_TRUE(done.covered);
  EXPECT_EQ(all(), (Names{month(0), month(1), month(2)}));
  const auto count = [&](const char* what) {
    return admin_.query(std::string{"SELECT count(*) AS n FROM "} + what)[0].integer("n");
  };
  EXPECT_EQ(count("pg_class WHERE relname LIKE 'event\\_2%' AND relkind = 'r' AND relrowsecurity"),
            3);
  // Every index of a partition is attached to an index of the table, and there are no others.
  EXPECT_EQ(count("pg_index i JOIN pg_class t ON t.oid = i.indrelid WHERE t.relname LIKE "
                  "'event\\_2%' AND t.relkind = 'r'"),
            18);
  EXPECT_EQ(count("pg_inherits i JOIN pg_class p ON p.oid = i.inhparent WHERE p.relkind = 'I' AND "
                  "p.relname IN ('event_pkey', 'event_id', 'event_xid_id', 'event_contact', "
                  "'event_occurred', 'event_growth')"),
            18);
  EXPECT_EQ(count("pg_index WHERE indrelid = 'event'::regclass AND NOT indisvalid"), 0);
  EXPECT_EQ(count("information_schema.columns WHERE table_name LIKE 'event\\_2%' AND "
                  "coalesce(col_description(table_name::regclass, ordinal_position), '') NOT IN "
                  "('personal', 'not personal')"),
            0);
  EXPECT_EQ(count("information_schema.role_table_grants WHERE table_name LIKE 'event\\_2%' AND "
                  "grantee IN ('shopbell_api', 'shopbell_worker', 'shopbell_reader')"),
            0);
}

TEST_F(PartitionsTest, concurrent_calls_create_each_month_once) {
  admin_.run(std::format("DROP TABLE {}, {}, {}", month(0), month(1), month(2)));
  std::size_t made = 0;
  int failed = 0;
  int left = 8;
  database_.loop.restart();
  for (int i = 0; i < 8; ++i) {
    boost::asio::co_spawn(database_.loop, keep_partitions(*worker_),
                          [&](std::exception_ptr failure, const PartitionUpkeep& done) {
                            made += done.made.size();
                            failed += failure ? 1 : 0;
                            --left;
                          });
  }
  while (left > 0) database_.loop.run_one();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(made, 3U);
  EXPECT_EQ(all(), (Names{month(0), month(1), month(2)}));
}

TEST_F(PartitionsTest, expired_months_are_dropped) {
  const std::string old = make_past(15);
  const std::string recent = make_past(12);
  const PartitionUpkeep done = keep();
  EXPECT_EQ(done.dropped, Names{old});
  EXPECT_EQ(all(), (Names{recent, month(0), month(1), month(2)}));
  EXPECT_TRUE(
      admin_.query(std::format("SELECT 1 WHERE to_regclass('{}') IS NOT NULL", old)).empty());
}

TEST_F(PartitionsTest, a_drop_gives_up_quickly_during_a_read) {
  const std::string old = make_past(15);
  pg::Script reading{database_.admin_url()};
  reading.run("BEGIN; SELECT count(*) FROM event");
  const auto start = Steady::now();
  const PartitionUpkeep given_up = keep();
  const auto took = Steady::now() - start;
  EXPECT_EQ(given_up.dropped, Names{});
  EXPECT_TRUE(given_up.covered);
  EXPECT_GE(took, 45ms);
  EXPECT_LT(took, 500ms);  // the lock timeout of 50 ms, plus the delay of a busy machine
  reading.run("COMMIT");
  EXPECT_EQ(keep().dropped, Names{old});
}

// Creating a month works during reads and writes; only the drop needs an exclusive lock.
TEST_F(PartitionsTest, a_month_is_created_during_reads_and_writes) {
  admin_.run(std::format("DROP TABLE {}", month(2)));
  pg::Script busy{database_.admin_url()};
  busy.run(
      "BEGIN; SELECT count(*) FROM event; INSERT INTO event (account_id, uid, lane, kind, format, "
      "occurred_at, trigger, hops, source) VALUES (1, gen_random_uuid(), 0, 'x', 1, now(), 'all', "
      "0, 'api')");
  EXPECT_EQ(keep().made, Names{month(2)});
}

TEST_F(PartitionsTest, only_the_worker_may_call_and_retention_has_a_minimum) {
  const std::string call = "SELECT keep_event_partitions(interval '400 days', 2)";
  for (const auto& url : {database_.api_url(), database_.reader_url()}) {
    pg::Script other{url};
    EXPECT_THROW(other.run(call), pg::Error);
  }
  pg::Script worker{database_.worker_url()};
  worker.run(call);
  EXPECT_THROW(worker.run("SELECT keep_event_partitions(interval '1 day', 2)"), pg::Error);
  EXPECT_THROW(worker.run("SELECT keep_event_partitions(interval '400 days', 100)"), pg::Error);
}

}  // namespace
}  // namespace shopbell::events
