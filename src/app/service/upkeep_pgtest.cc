#include <format>

#include <gtest/gtest.h>

#include "app/service/upkeep.h"
#include "pg/script.h"
#include "runtime/wait.h"
#include "testing/database.h"

namespace shopbell::app {
namespace {

using namespace std::chrono_literals;

class UpkeepTest : public ::testing::Test {
 protected:
  UpkeepTest() {
    admin_.run(R"(INSERT INTO account (account_id, id, name, time_zone, currency, locale)
      SELECT n, gen_random_uuid(), 'Bell', 'UTC', 'EUR', 'en' FROM generate_series(1, 3) n;
      INSERT INTO store_usage (account_id) SELECT generate_series(1, 3))");
    advance();  // the copied database is another than its template: every account is recounted
  }

  std::string text(const std::string& sql) {
    return admin_.query(std::format("SELECT coalesce(({})::text, '') AS it", sql))[0].text("it");
  }
  // An INSERT of one event of account 1.
  static std::string event(const std::string& kind, const std::string& subject = "s") {
    return std::format(
        "INSERT INTO event (account_id, uid, lane, kind, format, occurred_at, trigger, hops, "
        "source, subject) VALUES (1, gen_random_uuid(), 1, '{}', 1, now(), 'all', 0, 'test', '{}')",
        kind, subject);
  }
  // Counts in steps of `most` transactions, and returns the number of steps.
  int advance(int most = 1000) {
    int steps = 1;
    while (text(std::format("SELECT advance_usage({})", most)) == "1") ++steps;
    return steps;
  }
  // Contacts, products, purchases and events of account 1, as stored.
  std::string usage() {
    return text(
        "SELECT concat_ws(' ', contacts, products, purchases, events_this_month) FROM store_usage "
        "WHERE account_id = 1");
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
};

TEST_F(UpkeepTest, usage_follows_the_events) {
  for (const auto* kind : {"contact.created", "contact.created", "contact.created",
                           "contact.merged", "product.created", "product.created",
                           "product.deleted", "purchase.created", "cart.abandoned"})
    admin_.run(event(kind));
  advance();
  EXPECT_EQ(usage(), "2 1 1 9");
  advance();
  EXPECT_EQ(usage(), "2 1 1 9");
  admin_.run(event("contact.deleted"));
  advance();
  EXPECT_EQ(usage(), "1 1 1 10");
}

TEST_F(UpkeepTest, a_purchase_that_moves_to_another_contact_still_counts) {
  for (const auto* id : {"a", "b"}) admin_.run(event("purchase.created", id));
  admin_.run("BEGIN;" + event("purchase.deleted", "a") + ";" + event("purchase.updated", "a") +
             ";COMMIT");
  advance();
  EXPECT_EQ(usage(), "0 0 2 4");
  admin_.run("BEGIN;" + event("purchase.deleted", "a") + ";" + event("purchase.updated", "b") +
             ";COMMIT");
  advance();
  EXPECT_EQ(usage(), "0 0 1 6");
}

TEST_F(UpkeepTest, transactions_in_flight_are_counted_once_when_they_end) {
  pg::Script slow{database_.admin_url()};
  pg::Script lost{database_.admin_url()};
  slow.run("BEGIN;" + event("contact.created"));
  lost.run("BEGIN;" + event("contact.created"));
  admin_.run(event("contact.created"));
  advance();
  EXPECT_EQ(usage(), "1 0 0 1");
  admin_.run(event("contact.created"));
  advance();
  EXPECT_EQ(usage(), "2 0 0 2");
  slow.run("COMMIT");
  lost.run("ROLLBACK");
  advance();
  EXPECT_EQ(usage(), "3 0 0 3");
  advance();
  EXPECT_EQ(usage(), "3 0 0 3");
}

TEST_F(UpkeepTest, a_backlog_is_counted_in_steps) {
  pg::Script slow{database_.admin_url()};
  slow.run("BEGIN;" + event("contact.created"));
  for (int i = 0; i < 30; ++i) admin_.run(event("contact.created"));
  EXPECT_GT(advance(10), 2);
  EXPECT_EQ(usage(), "30 0 0 30");
  slow.run("COMMIT");
  for (int i = 0; i < 5; ++i) admin_.run(event("contact.created"));
  EXPECT_EQ(text("SELECT advance_usage(3)"), "1");
  EXPECT_NE(usage(), "36 0 0 36");
  advance(3);
  EXPECT_EQ(usage(), "36 0 0 36");
}

TEST_F(UpkeepTest, a_new_month_starts_from_zero) {
  for (int i = 0; i < 3; ++i) admin_.run(event("cart.abandoned"));
  advance();
  // The time of the last count, and so the month of its events, is now last month.
  admin_.run(
      "UPDATE usage_position SET at = at - interval '1 month', since = since - interval '1 month';"
      "UPDATE store_usage SET as_of = as_of - interval '1 month'");
  admin_.run(event("cart.abandoned"));
  advance();
  EXPECT_EQ(usage(), "0 0 0 1");
}

TEST_F(UpkeepTest, a_loaded_dump_is_counted_from_the_start) {
  admin_.run(event("contact.created"));
  advance();
  admin_.run(
      "INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at) "
      "SELECT 1, gen_random_uuid(), 1, n, now(), now() FROM generate_series(1, 5) n;"
      "UPDATE usage_position SET database = 'other', shows = '1000000000:1000000000:'");
  advance();
  EXPECT_EQ(usage(), "5 0 0 1");
  EXPECT_EQ(text("SELECT count(*) FROM store_usage WHERE stale"), "0");
}

TEST_F(UpkeepTest, only_one_process_counts) {
  pg::Script other{database_.admin_url()};
  other.run("BEGIN; SELECT FROM usage_position FOR UPDATE");
  admin_.run(event("contact.created"));
  EXPECT_EQ(advance(), 1);
  EXPECT_EQ(usage(), "0 0 0 0");
  other.run("ROLLBACK");
  advance();
  EXPECT_EQ(usage(), "1 0 0 1");
}

TEST_F(UpkeepTest, erased_contacts_with_many_events_take_turns_with_others) {
  for (const int contact : {1, 2})
    admin_.run(std::format(
        "INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, "
        "hops, source, payload) SELECT 1, gen_random_uuid(), 1, "
        "'00000000-0000-0000-0000-00000000000{}', 'cart.abandoned', 1, now(), 'all', 0, 'test', "
        "'{{\"a\":1}}' FROM generate_series(1, {})",
        contact, contact == 1 ? 100 : 5));
  admin_.run(
      "INSERT INTO erased_contact (account_id, contact_id, due_at) VALUES "
      "(1, '00000000-0000-0000-0000-000000000001', now() - interval '2 minutes'), "
      "(1, '00000000-0000-0000-0000-000000000002', now() - interval '1 minute')");
  const auto left = [&](int contact) {
    return text(
        std::format("SELECT count(*) FROM event WHERE payload IS NOT NULL AND contact_id = "
                    "'00000000-0000-0000-0000-00000000000{}'",
                    contact));
  };
  text("SELECT forget_erased(10)");
  EXPECT_EQ(left(1), "90");
  text("SELECT forget_erased(10)");
  EXPECT_EQ(left(2), "0");
  for (int i = 0; i < 10; ++i) text("SELECT forget_erased(10)");
  EXPECT_EQ(left(1), "0");
  EXPECT_EQ(text("SELECT forget_erased(10)"), "0");
}

TEST_F(UpkeepTest, no_chore_delays_another) {
  // One chore has more work than it can finish within the test.
  admin_.run(
      "INSERT INTO claim (account_id, kind, key_hash, request_hash, answer, made_at) SELECT 1, "
      "'answer', sha256(n::text::bytea), '', '', now() - interval '8 days' "
      "FROM generate_series(1, 200000) n");
  admin_.run(event("contact.created"));
  const auto partitions = database_.pool(database_.worker_url());
  const auto chores = database_.pool(database_.worker_url());
  Upkeep upkeep{*partitions, *chores, database_.metrics};
  EXPECT_TRUE(runtime::run_to_end(database_.loop, upkeep.keep_event_partitions()));
  EXPECT_TRUE(database_.metrics.text().contains("shopbell_event_months_ahead 2"));
  upkeep.start(database_.loop);
  for (int i = 0; i < 300 && usage() != "1 0 0 1"; ++i)
    runtime::run_to_end(database_.loop, runtime::sleep_for(100ms));
  EXPECT_EQ(usage(), "1 0 0 1");
  EXPECT_NE(text("SELECT count(*) FROM claim"), "0");
  bool rests = false;
  upkeep.stop([&] { rests = true; });
  while (!rests) runtime::run_to_end(database_.loop, runtime::sleep_for(10ms));
}

TEST_F(UpkeepTest, a_long_run_keeps_a_copy_of_the_event_that_started_it) {
  admin_.run(event("contact.created"));
  admin_.run("UPDATE event SET payload = '{}'");
  const std::string run =
      "INSERT INTO run (account_id, contact_id, run_id, workflow_id, version, lane, state, node, "
      "seq, key, "
      "enrolment_key, started_at, node_since, trigger_at, trigger_id, visits, has_sent, converted, "
      "seen, trail) SELECT account_id, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, "
      "1, "
      "'open', 'a', 1, '', '', now(), now(), received_at, id, 1, false, false, '', '' FROM event";
  admin_.run(run);
  const auto copied = [&](const char* age) {
    return text(std::format("SELECT copy_run_triggers(10, interval '{}')", age));
  };
  EXPECT_EQ(copied("1 day"), "0");  // the event is young
  EXPECT_EQ(copied("-1 day"), "1");
  EXPECT_EQ(copied("-1 day"), "0");
  EXPECT_EQ(text("SELECT (r.trigger_data ->> 'kind') || ' ' || r.seq || ' ' || "
                 "((r.trigger_data ->> 'id') = e.uid::text) FROM run r, event e"),
            "contact.created 2 true");
  admin_.run("DELETE FROM run");
  // An erased event leaves no data.
  admin_.run("UPDATE event SET payload = NULL");
  admin_.run(run);
  EXPECT_EQ(copied("-1 day"), "1");
  EXPECT_EQ(text("SELECT trigger_data FROM run"), "null");
}

}  // namespace
}  // namespace shopbell::app
