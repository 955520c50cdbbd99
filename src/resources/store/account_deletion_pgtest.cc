#include <algorithm>
#include <format>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "resources/store/account_deletion.h"
#include "resources/store/accounts.h"
#include "testing/database.h"

namespace shopbell::store {
namespace {

using runtime::run_to_end;
using std::chrono::days;

class AccountDeletionTest : public ::testing::Test {
 protected:
  CreatedAccount create() {
    return run_to_end(
        database_.loop,
        create_account(*worker_, {}, {.name = "Bell", .currency = "EUR"}, system_clock().now()));
  }
  std::optional<Instant> mark(std::int64_t account, days grace) {
    return run_to_end(database_.loop, worker_->transaction({}, [&](pg::Transaction& transaction) {
      return mark_for_deletion(transaction, account, grace);
    }));
  }
  bool undo(std::int64_t account) {
    return run_to_end(database_.loop, worker_->transaction({}, [&](pg::Transaction& transaction) {
      return restore(transaction, account);
    }));
  }
  std::optional<std::int64_t> step() {
    return run_to_end(database_.loop, delete_due_rows(*worker_));
  }
  std::optional<AccountDetails> find(std::int64_t account) {
    return run_to_end(database_.loop, find_account(*worker_, {}, account));
  }
  // Takes steps until both accounts are gone. Moves the clock of the deletion, because steps that
  // wait are due a second later, and the last one after a settling time.
  void delete_all(const CreatedAccount& account) {
    for (int i = 0; i < 20 && (find(account.live) || find(account.test)); ++i) {
      step();
      admin_.run(
          "UPDATE account SET deletion_step_at = deletion_step_at - interval '2 seconds',"
          " deletion_began_at = deletion_began_at - interval '1 minute'"
          " WHERE delete_at IS NOT NULL");
    }
  }
  // Adds a row to every table of the account, found from the catalog alone: a value by type for
  // each column that needs one. Drops the checks of values; foreign keys are off meanwhile.
  void fill(std::int64_t account);
  std::vector<std::string> tables() {
    return admin_
        .query(
            "SELECT array_agg(c.relname::text ORDER BY c.relname) AS names FROM pg_class c"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'"
            " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT a.attisdropped"
            " AND c.relnamespace = 'public'::regnamespace")[0]
        .texts("names");
  }
  std::vector<std::string> covered() {
    return admin_.query("SELECT account_tables() AS names")[0].texts("names");
  }
  std::int64_t rows(const std::string& table, std::int64_t account) {
    return admin_
        .query(std::format("SELECT count(*) AS count FROM {} WHERE account_id = {}", table,
                           account))[0]
        .integer("count");
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
};

void AccountDeletionTest::fill(std::int64_t account) {
  admin_.run(std::format(
      "DO $$ DECLARE t record; BEGIN"
      " FOR t IN SELECT conrelid::regclass AS name, conname FROM pg_constraint"
      "   WHERE contype = 'c' AND coninhcount = 0 AND conrelid::regclass::text = ANY "
      "(account_tables())"
      " LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', t.name, t.conname); END LOOP;"
      " SET LOCAL session_replication_role = replica;"  // neither foreign keys nor triggers
      " FOR t IN SELECT c.relname, string_agg(quote_ident(a.attname), ', ') AS names,"
      "    string_agg(CASE WHEN a.attname = 'account_id' THEN '{}'"
      "      WHEN a.attname = 'received_at' THEN 'now()'"
      "      WHEN y.typcategory = 'A' THEN '''{{}}'''"
      // Tables are partitioned by the time in an id.
      "      WHEN y.typname = 'uuid' THEN 'overlay(gen_random_uuid()::text PLACING left(lpad("
      "to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, chr(48)), 8) FROM 1 FOR 8)::uuid'"
      "      WHEN y.typname = 'bytea' THEN 'sha256(gen_random_uuid()::text::bytea)'"
      "      WHEN y.typname IN ('json', 'jsonb') THEN '''{{}}'''"
      "      WHEN y.typcategory = 'N' THEN '1' WHEN y.typcategory = 'B' THEN 'true'"
      "      WHEN y.typcategory = 'D' THEN 'now()' ELSE '''x''' END, ', ') AS vals"
      "   FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0"
      "    AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''"
      "   JOIN pg_type y ON y.oid = a.atttypid"
      "  WHERE c.relname = ANY (account_tables()) AND c.relname <> 'store_usage' GROUP BY 1"
      " LOOP"
      "  EXECUTE format('INSERT INTO %I (%s) VALUES (%s)', t.relname, t.names, t.vals);"
      " END LOOP; END $$",
      account));
}

TEST_F(AccountDeletionTest, covers_every_table_with_an_account) {
  std::vector<std::string> expected = tables();
  std::erase(expected, "account");      // the last step deletes it
  std::erase(expected, "stored_file");  // deleted with the files
  std::vector<std::string> actual = covered();
  std::ranges::sort(actual);
  EXPECT_EQ(actual, expected);
}

TEST_F(AccountDeletionTest, deletes_a_table_before_those_it_refers_to) {
  const std::vector<std::string> order = covered();
  const pg::Result references = admin_.query(
      "SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent"
      " FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND conrelid <> confrelid"
      " AND conrelid::regclass::text = ANY (account_tables())"
      " AND confrelid::regclass::text = ANY (account_tables())");
  EXPECT_GT(references.size(), 10U);
  for (std::size_t i = 0; i < references.size(); ++i)
    EXPECT_LT(std::ranges::find(order, references[i].text("child")),
              std::ranges::find(order, references[i].text("parent")))
        << references[i].text("child") << " refers to " << references[i].text("parent");
}

TEST_F(AccountDeletionTest, suspends_both_accounts_and_can_be_undone) {
  const CreatedAccount account = create();
  run_to_end(database_.loop, set_state(*worker_, {}, account.test, "suspended"));
  EXPECT_FALSE(mark(account.test, days{30}));  // a test account goes with its live account
  ASSERT_TRUE(mark(account.live, days{30}));
  EXPECT_FALSE(mark(account.live, days{1}));
  for (const auto id : {account.live, account.test}) {
    EXPECT_EQ(find(id)->state, "suspended");
    ASSERT_TRUE(find(id)->deletion);
    EXPECT_FALSE(run_to_end(database_.loop, set_state(*worker_, {}, id, "active")));
  }
  EXPECT_EQ(step(), std::nullopt);
  EXPECT_FALSE(undo(account.test));
  EXPECT_TRUE(undo(account.live));
  EXPECT_EQ(find(account.live)->state, "active");
  EXPECT_EQ(find(account.test)->state, "suspended");  // the state before the mark
  EXPECT_FALSE(find(account.live)->deletion);
  EXPECT_FALSE(undo(account.live));
}

TEST_F(AccountDeletionTest, cannot_be_undone_once_it_began) {
  const CreatedAccount account = create();
  ASSERT_TRUE(mark(account.live, days{0}));
  EXPECT_FALSE(undo(account.live));  // the grace period is over
  EXPECT_GT(step(), 0);
  admin_.run("UPDATE account SET delete_at = now() + interval '1 day' WHERE delete_at IS NOT NULL");
  EXPECT_FALSE(undo(account.live));  // the deletion of one of the two has begun
}

TEST_F(AccountDeletionTest, deletes_every_row_and_none_of_another_account) {
  const CreatedAccount account = create();
  const CreatedAccount other = create();
  for (const auto id : {account.live, account.test, other.live, other.test}) fill(id);
  ASSERT_TRUE(mark(account.live, days{0}));
  delete_all(account);
  for (const auto& table : tables()) {
    for (const auto id : {account.live, account.test}) EXPECT_EQ(rows(table, id), 0) << table;
    if (table == "stored_file") continue;
    for (const auto id : {other.live, other.test}) EXPECT_EQ(rows(table, id), 1) << table;
  }
}

TEST_F(AccountDeletionTest, works_in_bounded_batches_and_counts_them) {
  const CreatedAccount account = create();
  admin_.run(
      std::format("INSERT INTO suppression (account_id, channel, address_hash, reason, at)"
                  " SELECT {}, 'email', sha256(n::text::bytea), 'unsubscribed', now()"
                  " FROM generate_series(1, 2500) n",
                  account.live));
  ASSERT_TRUE(mark(account.live, days{0}));
  std::int64_t total = 0;
  while (const auto count = step()) {
    EXPECT_LE(*count, limits::kUpkeepBatch);
    total += *count;
  }
  EXPECT_EQ(find(account.live)->deletion->deleted_rows + find(account.test)->deletion->deleted_rows,
            total);
  EXPECT_GT(total, 2500);
}

TEST_F(AccountDeletionTest, waits_for_files_and_for_writes_in_flight) {
  const CreatedAccount account = create();
  const auto file = [&](const std::string& name, const std::string& kept) {
    admin_.run(
        std::format("INSERT INTO stored_file (account_id, name, job_id, remove_at)"
                    " VALUES ({}, '{}', gen_random_uuid(), now() + interval '{}')",
                    account.live, name, kept));
  };
  file("exports/1", "7 days");
  file("imports/1", "1 minute");  // an upload in progress holds a lease of two minutes
  ASSERT_TRUE(mark(account.live, days{0}));
  while (step()) {
  }
  const auto due = [&](const std::string& name) {
    return admin_
        .query(std::format("SELECT remove_at <= now() AS due FROM stored_file WHERE name = '{}'",
                           name))[0]
        .boolean("due");
  };
  EXPECT_TRUE(due("exports/1"));
  EXPECT_FALSE(due("imports/1"));
  EXPECT_EQ(find(account.live)->deletion->files, 2);
  delete_all(account);
  EXPECT_FALSE(find(account.test));
  EXPECT_TRUE(find(account.live));
  admin_.run("DELETE FROM stored_file");
  // A request that was in flight has written another row.
  admin_.run(
      std::format("INSERT INTO suppression (account_id, channel, address_hash, reason, at)"
                  " VALUES ({}, 'email', sha256('x'), 'unsubscribed', now())",
                  account.live));
  EXPECT_EQ(step(), 1);
  EXPECT_TRUE(find(account.live));
  delete_all(account);
  EXPECT_FALSE(find(account.live));
}

}  // namespace
}  // namespace shopbell::store
