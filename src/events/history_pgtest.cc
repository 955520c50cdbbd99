// The history of a contact over all partitions: 14 months, and two months ahead.
#include <algorithm>
#include <format>
#include <limits>
#include <print>

#include <gtest/gtest.h>

#include "events/history.h"
#include "events/queries.h"
#include "testing/database.h"

namespace shopbell::events {
namespace {

using runtime::run_to_end;

constexpr std::int64_t kStore = 4711;
constexpr std::int64_t kPage = 50;
const Uuid kBusy = *Uuid::parse("019a8412-7c00-7abc-8def-0123456789ab");

// Past events: 10,000 of one busy contact among 20,000 of a thousand others.
constexpr std::string_view kPast = R"(
DO $$
DECLARE month timestamp; name text;
BEGIN
  FOR i IN 1..13 LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => i);
    name := to_char(month, '"event_"YYYY_MM');
    EXECUTE format('CREATE TABLE %I (LIKE event INCLUDING ALL EXCLUDING IDENTITY)', name);
    EXECUTE format('ALTER TABLE event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
                   to_char(month, 'YYYY-MM-DD') || ' 00:00+00',
                   to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00+00');
  END LOOP;
END $$;
INSERT INTO event (account_id, received_at, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source,
                   payload)
SELECT 4711, now() - n * interval '55 minutes', gen_random_uuid(), 0,
       CASE contact WHEN 0 THEN '019a8412-7c00-7abc-8def-0123456789ab' ELSE md5((n * 2 % 1000 + contact)::text)::uuid END,
       'contact.updated', 1, now(), 'all', 0, 'api', '{"changed": [], "before": {}, "after": {}}'
  FROM generate_series(1, 10000) n, generate_series(0, 2) contact;
ANALYZE event)";

class HistoryTest : public ::testing::Test {
 protected:
  HistoryTest() { admin_.run(kPast); }

  std::vector<PastEvent> page(const std::vector<Uuid>& contacts,
                              std::optional<HistoryPosition> before = {}) {
    return read(HistoryPage{.contacts = contacts, .behind = before, .limit = kPage});
  }
  std::vector<PastEvent> read(const HistoryPage& wanted, std::int64_t account = kStore) {
    return run_to_end(database_.loop, list_history(*api_, {.account = account}, wanted));
  }
  Uuid contact_id(int number) {
    return admin_.query(std::format("SELECT md5('{}')::uuid AS id", number))[0].uuid("id");
  }
  std::int64_t count(const std::string& where) {
    return admin_.query("SELECT count(*) AS n FROM event WHERE " + where)[0].integer("n");
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url(), 20);
};

TEST_F(HistoryTest, pages_backward_without_gaps_or_duplicates) {
  const std::vector<Uuid> merged{contact_id(7), contact_id(8), contact_id(9)};
  const std::int64_t all = count("contact_id IN (md5('7')::uuid, md5('8')::uuid, md5('9')::uuid)");
  ASSERT_GT(all, kPage);
  std::vector<PastEvent> seen = page(merged);
  EXPECT_EQ(static_cast<std::int64_t>(seen.size()), std::min(all, kPage));
  while (true) {
    const auto older = page(merged, seen.back().position);
    if (older.empty()) break;
    seen.insert(seen.end(), older.begin(), older.end());
  }
  ASSERT_EQ(static_cast<std::int64_t>(seen.size()), all);
  const auto newer = [](const PastEvent& a, const PastEvent& b) {
    return std::pair{a.position.received_at, a.position.id} >
           std::pair{b.position.received_at, b.position.id};
  };
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_TRUE(newer(seen[i - 1], seen[i])) << i;
  EXPECT_TRUE(std::ranges::contains(merged, seen.front().contact_id));
}

TEST_F(HistoryTest, pages_forward_over_the_same_events) {
  const std::vector<Uuid> merged{contact_id(7), contact_id(8), contact_id(9)};
  HistoryPage wanted{.contacts = merged, .ascending = true, .limit = kPage};
  std::vector<std::int64_t> up;
  for (auto events = read(wanted); !events.empty(); events = read(wanted)) {
    for (const auto& event : events) up.push_back(event.position.id);
    wanted.behind = events.back().position;
  }
  std::vector<std::int64_t> down;
  for (auto events = page(merged); !events.empty(); events = page(merged, events.back().position))
    for (const auto& event : events) down.push_back(event.position.id);
  std::ranges::reverse(down);
  EXPECT_EQ(up, down);
}

TEST_F(HistoryTest, filters_by_time_received) {
  const auto all = page({kBusy});
  const HistoryPage span{.contacts = {kBusy},
                         .from = all[20].position.received_at,
                         .to = all[10].position.received_at,
                         .limit = kPage};
  const auto inside = read(span);
  ASSERT_EQ(inside.size(), 10U);  // `from` is inclusive, `to` is exclusive
  EXPECT_EQ(inside.front().uid, all[11].uid);
  EXPECT_EQ(inside.back().uid, all[20].uid);
  HistoryPage upwards = span;
  upwards.ascending = true;
  EXPECT_EQ(read(upwards).front().uid, all[20].uid);
  upwards.behind = all[12].position;
  EXPECT_EQ(read(upwards).size(), 1U);
}

TEST_F(HistoryTest, filters_by_kind_and_hides_internal_kinds) {
  admin_.run(
      std::format("UPDATE event SET kind = CASE id % 4 WHEN 0 THEN 'handover' WHEN 1 THEN "
                  "'custom.visit' WHEN 2 THEN 'purchase.paid' ELSE kind END WHERE contact_id = "
                  "'{}'",
                  kBusy.to_string()));
  const auto kinds_shown = [&](std::vector<std::string> kinds) {
    std::vector<std::string> seen;
    for (const auto& event :
         read(HistoryPage{.contacts = {kBusy}, .kinds = std::move(kinds), .limit = 200})) {
      if (!std::ranges::contains(seen, event.kind)) seen.push_back(event.kind);
    }
    std::ranges::sort(seen);
    return seen;
  };
  using Kinds = std::vector<std::string>;
  EXPECT_EQ(kinds_shown({}), (Kinds{"contact.updated", "custom.visit", "purchase.paid"}));
  EXPECT_EQ(kinds_shown({"custom.visit", "purchase.paid"}),
            (Kinds{"custom.visit", "purchase.paid"}));
  EXPECT_EQ(kinds_shown({"custom"}), Kinds{});
  EXPECT_EQ(kinds_shown({"handover"}), Kinds{});
  EXPECT_EQ(page({kBusy}).size(), static_cast<std::size_t>(kPage));
}

TEST_F(HistoryTest, is_empty_for_other_accounts_and_unknown_contacts) {
  EXPECT_EQ(page(std::vector<Uuid>{}).size(), 0U);
  EXPECT_EQ(page({Uuid::v7(system_clock().now())}).size(), 0U);
  EXPECT_EQ(read(HistoryPage{.contacts = {kBusy}, .limit = kPage}, 1).size(), 0U);
}

TEST_F(HistoryTest, an_erased_event_has_no_payload) {
  admin_.run(
      std::format("UPDATE event SET payload = NULL WHERE contact_id = '{}'", kBusy.to_string()));
  EXPECT_EQ(page({kBusy}).front().payload, std::nullopt);
  EXPECT_TRUE(page({contact_id(7)}).front().payload);
}

TEST_F(HistoryTest, answers_twenty_concurrent_requests) {
  int failed = 0;
  int left = 0;
  database_.loop.restart();
  for (int i = 0; i < 20; ++i, ++left) {
    boost::asio::co_spawn(
        database_.loop,
        list_history(*api_, {.account = kStore}, HistoryPage{.contacts = {kBusy}, .limit = kPage}),
        [&](std::exception_ptr failure, const std::vector<PastEvent>& events) {
          failed += failure || events.size() != kPage ? 1 : 0;
          --left;
        });
  }
  while (left > 0) database_.loop.run_one();
  EXPECT_EQ(failed, 0);
}

TEST_F(HistoryTest, reads_only_its_page_from_the_index_and_plans_quickly) {
  pg::Script api{database_.api_url()};
  api.run(std::format("SET shopbell.account = {}", kStore));
  const std::string explain =
      std::format("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {}", sql::list_newest_history.sql);
  const std::array<std::string, 9> values{std::to_string(kStore),
                                          std::format("{{{}}}", kBusy.to_string()),
                                          R"({""})",
                                          "{~}",
                                          "-infinity",
                                          "0",
                                          "infinity",
                                          "0",
                                          std::to_string(kPage)};
  // Take the best of 20 runs: other load on the machine only adds time.
  double planning_ms = std::numeric_limits<double>::max();
  std::string plan;
  for (int i = 0; i < 20; ++i) {
    plan = api.query(explain, values)[0].text("QUERY PLAN");
    const std::array<std::string, 1> given{plan};
    planning_ms = std::min(
        planning_ms,
        std::stod(
            admin_.query("SELECT ($1::json->0->>'Planning Time') AS ms", given)[0].text("ms")));
  }
  const std::array<std::string, 1> given{plan};
  const pg::Result read = admin_.query(
      "SELECT $1::json->0->'Plan'->>'Shared Hit Blocks' AS blocks, $1::json->0->>'Execution Time' "
      "AS ms",
      given);
  std::println(
      "history over 16 partitions: planned in {} ms (fastest of 20), read {} pages in {} ms",
      planning_ms, read[0].text("blocks"), read[0].text("ms"));
  EXPECT_LE(planning_ms, 5);
  EXPECT_LE(std::stol(read[0].text("blocks")), 300);  // a bound for any number of events
  EXPECT_FALSE(plan.contains("Seq Scan")) << plan;
  EXPECT_TRUE(plan.contains("Backward")) << plan;
}

}  // namespace
}  // namespace shopbell::events
