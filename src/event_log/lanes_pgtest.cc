#include "testing/log_fixture.h"

namespace shopbell::event_log {
namespace {

using namespace std::chrono_literals;
using runtime::run_to_end;

class LanesTest : public LogTest {};

TEST_F(LanesTest, every_event_has_its_effect_once_and_in_order) {
  auto log = make_log();
  log->start();
  wait_ready();
  for (int i = 0; i < 300; ++i) append(i % 1024);
  wait([&] { return missing() == "0"; });
  EXPECT_EQ(missing(), "0");
  EXPECT_EQ(text("SELECT count(*) FROM (SELECT event_id < lag(event_id) OVER (PARTITION BY lane "
                 "ORDER BY place) AS back FROM sink) x WHERE back"),
            "0");
  const std::string behind =
      "SELECT count(*) FROM log_position WHERE tick < (SELECT max(tick) FROM log_tick)";
  wait([&] { return text(behind) == "0"; });
  EXPECT_EQ(text(behind), "0");
  stop(*log);
  EXPECT_EQ(text("SELECT count(*) FROM process"), "0");
  EXPECT_EQ(text("SELECT count(owner) FROM log_position"), "0");
}

TEST_F(LanesTest, two_processes_share_the_events) {
  auto one = make_log();
  auto other = make_log();
  one->start();
  other->start();
  wait_ready(2);
  for (int i = 0; i < 100; ++i) append(i * 10);
  wait([&] { return missing() == "0"; });
  EXPECT_EQ(missing(), "0");
  stop(*one);
  for (int i = 0; i < 100; ++i) append(i * 10);
  wait([&] { return missing() == "0"; });
  EXPECT_EQ(missing(), "0");
  stop(*other);
}

TEST_F(LanesTest, lanes_are_shared_by_processes_with_the_same_reader) {
  const auto held = [&](const Uuid& process, std::vector<std::string> readers) {
    run_to_end(database_.loop, beat(*pulse_, process, "test", readers));
    return run_to_end(database_.loop, beat(*pulse_, process, "test", readers)).held;
  };
  EXPECT_EQ(held(one_, {"sink"})["sink"].size(), 64U);
  const auto both = held(other_, {"sink", "only"});
  EXPECT_EQ(both.at("only").size(), 64U);
  EXPECT_EQ(held(one_, {"sink"})["sink"].size(), 32U);
  EXPECT_EQ(held(other_, {"sink", "only"})["sink"].size(), 32U);
}

TEST_F(LanesTest, an_event_that_fails_is_parked) {
  admin_.run("ALTER TABLE sink ADD CHECK (lane <> 77)");
  auto log = make_log();
  log->start();
  wait_ready();
  for (const int lane : {76, 77, 76, 78, 76}) append(lane);
  wait([&] { return missing() == "1"; });
  EXPECT_EQ(missing(), "1");
  wait([&] { return text("SELECT count(*) FROM log_parked") == "1"; });
  EXPECT_EQ(text("SELECT event_id FROM log_parked"), "2");
  EXPECT_NE(text("SELECT reason FROM log_parked").find("sink_lane_check"), std::string::npos);
  append(77, "custom.other");
  append(76);
  wait([&] { return text("SELECT count(*) FROM log_parked") == "2" && missing() == "2"; });
  EXPECT_EQ(missing(), "2");
  stop(*log);
}

TEST_F(LanesTest, a_missing_table_is_retried) {
  admin_.run("ALTER TABLE sink RENAME TO elsewhere");
  auto log = make_log();
  log->start();
  wait_ready();
  append(1);
  run_to_end(database_.loop, runtime::sleep_for(300ms));
  EXPECT_EQ(text("SELECT count(*) FROM log_parked"), "0");
  admin_.run("ALTER TABLE elsewhere RENAME TO sink");
  wait([&] { return missing() == "0"; });
  EXPECT_EQ(missing(), "0");
  stop(*log);
}

// An account that enables its first webhook gets events from then on.
TEST_F(LanesTest, a_reader_of_some_accounts_reads_no_others) {
  auto log = make_log({.name = "webhooks", .some_accounts = true, .effect = write_down});
  log->start();
  wait_ready();
  append(5);
  admin_.run(
      "SET session_replication_role = replica; "  // the account does not exist
      "INSERT INTO webhook (account_id, webhook_id, url, kinds, signing_secret, state, reason, "
      "created_at, updated_at) VALUES (1, gen_random_uuid(), 'https://shop.example/', '{}', '', "
      "'disabled', 'requested', now(), now()); RESET session_replication_role");
  append(6);
  // Lanes of other accounts also advance past both events.
  wait([&] {
    return text(
               "SELECT count(*) FROM log_position JOIN log_tick t USING (tick) WHERE NOT EXISTS "
               "(SELECT FROM event e WHERE NOT pg_visible_in_snapshot(e.xid, t.shows))") == "64";
  });
  admin_.run("UPDATE webhook SET state = 'enabled', reason = NULL");
  append(7);
  wait([&] { return text("SELECT count(*) FROM sink") == "1"; });
  EXPECT_EQ(text("SELECT string_agg(lane::text, ' ') FROM sink"), "7");
  stop(*log);
}

TEST_F(LanesTest, an_external_effect_completes_before_the_position_moves) {
  std::vector<std::int16_t> lanes;
  int failures = 2;
  auto log = make_log({.name = "outside", .outside = [&](std::span<const Entry> entries) {
                         for (const auto& entry : entries)
                           if (entry.kind == "custom.bad") throw Objection{"too odd"};
                         if (failures-- > 0) throw std::runtime_error{"away"};
                         for (const auto& entry : entries) lanes.push_back(entry.lane);
                         return Begun{runtime::sleep_for(0ms)};
                       }});
  log->start();
  wait([&] { return text("SELECT count(owner) FROM log_position") == "64"; });
  append(5);
  append(6, "custom.bad");
  append(6);
  wait([&] { return lanes.size() == 2; });
  EXPECT_EQ(lanes, (std::vector<std::int16_t>{5, 6}));
  EXPECT_EQ(text("SELECT reason FROM log_parked"), "too odd");
  stop(*log);
}

// The page is bisected because of an event that the reader objects to; a group of the first half is
// locked, and has more events in the second half.
TEST_F(LanesTest, a_locked_group_skips_no_event_when_its_page_is_bisected) {
  int locked = 3;
  auto log = make_log({.name = "careful",
                       .react = [&](pg::Transaction& transaction, pg::Group opening,
                                    const Work& work) -> asio::awaitable<Reacted> {
                         co_await transaction.run(std::move(opening));
                         const auto has = [&](std::string_view kind) {
                           return std::ranges::contains(work.entries, kind, &Entry::kind);
                         };
                         if (has("custom.bad")) throw Objection{"too odd"};
                         if (has("custom.locked") && locked-- > 0) throw Busy{{1}};
                         Reacted reacted;
                         for (const Entry* entry : work.entries)
                           write_down({entry, 1}, reacted.writes);
                         co_return reacted;
                       }});
  log->start();
  wait([&] { return text("SELECT count(owner) FROM log_position") == "64"; });
  admin_.run(insert(16, "custom.locked") + ";" + insert(32) + ";" + insert(16) + ";" +
             insert(33, "custom.bad"));
  wait([&] { return missing() == "1"; });
  EXPECT_EQ(missing(), "1");
  EXPECT_EQ(text("SELECT string_agg(event_id::text, ' ' ORDER BY place) FROM sink WHERE lane = 16"),
            "1 3");
  EXPECT_EQ(text("SELECT reason FROM log_parked"), "too odd");
  stop(*log);
}

}  // namespace
}  // namespace shopbell::event_log
