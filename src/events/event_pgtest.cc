#include <format>

#include <gtest/gtest.h>

#include "events/event.h"
#include "events/history.h"
#include "testing/database.h"

namespace shopbell::events {
namespace {

using runtime::run_to_end;

constexpr std::int64_t kAccount = 4711;
constexpr std::int64_t kOther = 4712;
const Uuid kContact = *Uuid::parse("019a8412-7c00-7abc-8def-0123456789ab");

constexpr pg::Query kUnfiltered{"test.all_events", limits::kQueryTimeout, "SELECT uid FROM event"};
constexpr pg::Query kFail{"test.fail", limits::kQueryTimeout,
                          "SELECT require(false, 'SB001', 'overtaken')"};

Event created() {
  const Instant now = system_clock().now();
  return {.uid = Uuid::v7(now),
          .lane = lane_of(kAccount, kContact),
          .contact_id = kContact,
          .contact_seq = 1,
          .kind = "contact.created",
          .occurred_at = now,
          .payload = R"({"changed":["firstName"],"before":{},"after":{"firstName":"Ada"}})"};
}

class EventTest : public ::testing::Test {
 protected:
  void run(pg::Pool& pool, pg::Group group, std::int64_t account) {
    run_to_end(database_.loop, pool.run(std::move(group), {.account = account}));
  }
  std::size_t seen_by(pg::Pool& pool, pg::Scope scope) {
    return run_to_end(database_.loop, pool.query(scope, kUnfiltered)).size();
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
};

TEST_F(EventTest, is_stored_once_in_the_partition_of_its_month) {
  Event event = created();
  event.trigger = Trigger::exits;
  pg::Group effect;
  append(effect, kAccount, event);
  run(*api_, std::move(effect), kAccount);
  const pg::Result rows = admin_.query(
      "SELECT *, payload->'after'->>'firstName' AS name, trigger AS triggers, "
      "tableoid::regclass::text = to_char(now() AT TIME ZONE 'UTC', '\"event_\"YYYY_MM') AS here, "
      "received_at > now() - interval '10 s' AS fresh, xid < pg_current_xact_id() AS past "
      "FROM event");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].uuid("uid"), event.uid);
  EXPECT_EQ(rows[0].integer("account_id"), kAccount);
  EXPECT_EQ(rows[0].integer("lane"), event.lane);
  EXPECT_EQ(rows[0].uuid("contact_id"), kContact);
  EXPECT_EQ(rows[0].integer("contact_seq"), 1);
  EXPECT_EQ(rows[0].maybe_text("subject"), std::nullopt);
  EXPECT_EQ(rows[0].text("kind"), "contact.created");
  EXPECT_EQ(rows[0].instant("occurred_at"), event.occurred_at);
  EXPECT_EQ(rows[0].text("triggers"), "exits");
  EXPECT_EQ(rows[0].text("source"), "api");
  EXPECT_EQ(rows[0].text("name"), "Ada");
  for (const char* truth : {"here", "fresh", "past"}) EXPECT_TRUE(rows[0].boolean(truth)) << truth;
}

TEST_F(EventTest, is_rolled_back_with_its_group) {
  pg::Group effect;
  append(effect, kAccount, created());
  effect.add(kFail);
  EXPECT_THROW(run(*api_, std::move(effect), kAccount), pg::Error);
  EXPECT_TRUE(admin_.query("SELECT 1 FROM event").empty());
}

// Row-level security limits even a query that forgets the account condition.
TEST_F(EventTest, is_visible_and_writable_for_its_account_only) {
  pg::Group effect;
  append(effect, kAccount, created());
  run(*api_, std::move(effect), kAccount);
  const auto worker = database_.pool(database_.worker_url());
  const auto reader = database_.pool(database_.reader_url());
  EXPECT_EQ(seen_by(*api_, {.account = kAccount}), 1U);
  EXPECT_EQ(seen_by(*reader, {.account = kAccount}), 1U);
  EXPECT_EQ(seen_by(*worker, {}), 1U);
  EXPECT_EQ(seen_by(*api_, {.account = kOther}), 0U);
  EXPECT_EQ(seen_by(*reader, {.account = kOther}), 0U);
  pg::Group foreign;
  append(foreign, kAccount, created());
  EXPECT_THROW(run(*api_, std::move(foreign), kOther), pg::Error);
}

TEST_F(EventTest, the_api_role_may_change_only_its_payload) {
  pg::Group effect;
  append(effect, kAccount, created());
  run(*api_, std::move(effect), kAccount);
  pg::Script api{database_.api_url()};
  api.run(std::format("SET shopbell.account = {}", kOther));
  api.run("UPDATE event SET payload = NULL");
  EXPECT_EQ(admin_.query("SELECT 1 FROM event WHERE payload IS NOT NULL").size(), 1U);
  api.run(std::format("SET shopbell.account = {}", kAccount));
  for (const char* forbidden : {"UPDATE event SET kind = 'x'", "UPDATE event SET lane = 1",
                                "DELETE FROM event", "TRUNCATE event"}) {
    EXPECT_THROW(api.run(forbidden), pg::Error) << forbidden;
  }
  api.run("UPDATE event SET payload = NULL");
  EXPECT_EQ(admin_.query("SELECT 1 FROM event WHERE payload IS NULL").size(), 1U);
}

TEST_F(EventTest, without_a_partition_for_its_month_is_refused) {
  admin_.run("DROP TABLE " + admin_
                                 .query("SELECT to_char(now() AT TIME ZONE 'UTC', "
                                        "'\"event_\"YYYY_MM') AS name")[0]
                                 .text("name"));
  pg::Group effect;
  append(effect, kAccount, created());
  try {
    run(*api_, std::move(effect), kAccount);
    FAIL() << "it was accepted";
  } catch (const pg::Error& error) {
    EXPECT_EQ(error.sqlstate(), "23514");
    EXPECT_FALSE(error.is_overtaken());  // a retry would not help
  }
}

}  // namespace
}  // namespace shopbell::events
