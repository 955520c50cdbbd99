#include <thread>

#include "event_log/log_status.h"
#include "testing/log_fixture.h"

namespace shopbell::event_log {
namespace {

using namespace std::chrono_literals;
using runtime::run_to_end;

TEST_F(LogTest, a_tick_is_made_only_for_new_events) {
  const Beat held = take_all(one_);
  EXPECT_FALSE(tick(one_, held));
  append(5);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  EXPECT_EQ(all_read(), Ids{1});
}

TEST_F(LogTest, a_late_commit_is_read_once_and_gets_a_tick) {
  const Beat held = take_all(one_);
  pg::Script slow{database_.admin_url()};
  slow.run("BEGIN");
  slow.run(insert(5));
  append(5);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  // No id is drawn any more, so the sequence does not show the commit.
  slow.run("COMMIT");
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  const auto read = batches();
  ASSERT_GE(read.size(), 2U);
  EXPECT_EQ(read[read.size() - 2], Ids{2});
  EXPECT_EQ(read.back(), Ids{1});
}

TEST_F(LogTest, an_id_drawn_before_the_transaction_number_is_not_skipped) {
  const Beat held = take_all(one_);
  pg::Script early{database_.admin_url()};
  early.run("BEGIN");
  early.run("SELECT nextval('event_id_seq')");  // draws an id without a transaction number
  append(5);
  EXPECT_TRUE(tick(one_, held));
  early.run(
      "INSERT INTO event (id, account_id, uid, lane, kind, format, occurred_at, trigger, hops, "
      "source) OVERRIDING SYSTEM VALUE VALUES (currval('event_id_seq'), 1, gen_random_uuid(), 5, "
      "'custom.test', 1, now(), 'all', 0, 'test')");
  early.run("COMMIT");
  EXPECT_TRUE(tick(one_, held));
  EXPECT_EQ(all_read(), (Ids{2, 1}));
}

// A transaction may get its number long before it writes to the contact. Its event then follows
// events that others wrote meanwhile, with higher transaction numbers.
TEST_F(LogTest, events_are_ordered_by_id_not_by_transaction) {
  const Beat held = take_all(one_);
  pg::Script early{database_.admin_url()};
  early.run("BEGIN");
  early.run("SELECT pg_current_xact_id()");  // simulates an earlier write of the transaction
  append(5);
  early.run(insert(5));
  early.run("COMMIT");
  EXPECT_TRUE(tick(one_, held));
  EXPECT_EQ(all_read(), (Ids{1, 2}));
}

TEST_F(LogTest, a_tick_never_shows_less_than_the_one_before) {
  const Beat held = take_all(one_);
  // The ticker waits for the row lock of another one that is making a tick.
  append(5);
  pg::Script first{database_.admin_url()};
  first.run("BEGIN");
  first.run("SELECT FROM log_ticker FOR UPDATE");
  pg::Script waiting{database_.worker_url()};
  std::thread second{[&] {
    waiting.run(std::format("SELECT make_tick('{}', {})", one_.to_string(), *held.ticker));
  }};
  while (text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0")
    std::this_thread::sleep_for(5ms);
  append(5);
  first.run(std::format("SELECT make_tick('{}', {})", one_.to_string(), *held.ticker));
  append(5);
  first.run("COMMIT");
  second.join();
  append(5);
  tick(one_, held);
  EXPECT_EQ(text("SELECT count(*) FROM log_tick a JOIN log_tick b ON b.tick = a.tick + 1 WHERE "
                 "pg_snapshot_xmax(b.shows) < pg_snapshot_xmax(a.shows)"),
            "0");
  EXPECT_EQ(all_read(), (Ids{1, 2, 3, 4}));
}

TEST_F(LogTest, a_stale_ticker_is_fenced) {
  const Beat held = take_all(one_);
  run_to_end(database_.loop, leave(*pulse_, one_));
  const Beat next = run_to_end(database_.loop, beat(*pulse_, other_, "test", {"sink"}));
  append(5);
  try {
    tick(one_, held);
    ADD_FAILURE();
  } catch (const pg::Error& error) {
    EXPECT_TRUE(is_fenced(error)) << error.what();
  }
  EXPECT_TRUE(tick(other_, next));
}

// After a restore from a dump, transaction numbers start over.
TEST_F(LogTest, events_after_a_dump_was_loaded_are_read_once) {
  const Beat held = take_all(one_);
  const std::int64_t epochs = std::stoll(text("SELECT max(epoch) FROM log_epoch"));
  append(5);
  tick(one_, held);
  append(5);  // events before the dump and after the last tick
  admin_.run(
      "UPDATE event SET xid = (xid::text::bigint + 1000000)::text::xid8;"
      "UPDATE log_tick SET shows = (pg_snapshot_xmin(shows)::text::bigint + 1000000 || ':' || "
      "pg_snapshot_xmax(shows)::text::bigint + 1000000 || ':')::pg_snapshot;"
      "UPDATE log_epoch SET life = 'another'");
  append(5);  // events before any process has detected the new epoch
  EXPECT_TRUE(tick(one_, held));
  append(5);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  EXPECT_EQ(all_read(), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(text("SELECT max(epoch) FROM log_epoch"), std::to_string(epochs + 1));
}

TEST_F(LogTest, an_epoch_begun_by_the_operator_loses_no_event) {
  const Beat held = take_all(one_);
  append(5);
  tick(one_, held);
  append(6);
  run_to_end(database_.loop, pulse_->transaction({}, begin_epoch));
  append(7);
  EXPECT_TRUE(tick(one_, held));
  append(8);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_EQ(all_read(), (Ids{1, 2, 3, 4}));
}

// The last tick is in the future, as if the clock had been set back since: by an hour, by months.
TEST_F(LogTest, events_are_read_after_the_clock_was_set_back) {
  const Beat held = take_all(one_);
  std::int64_t id = 0;
  for (const std::string by : {"1 hour", "70 days", "3 years"}) {
    admin_.run(std::format(
        "UPDATE log_tick SET at = at + interval '{0}', since = since + interval '{0}'", by));
    append(5);
    const MadeTick made = run_to_end(database_.loop, make_tick(*pulse_, one_, held.ticker.value()));
    EXPECT_TRUE(made.made) << by;
    EXPECT_GT(made.set_back_s, 3500) << by;
    append(6);
    EXPECT_TRUE(tick(one_, held)) << by;
    EXPECT_FALSE(tick(one_, held)) << by;
    const auto read = batches();
    ASSERT_GE(read.size(), 2U);
    EXPECT_EQ(read[read.size() - 2], Ids{++id}) << by;
    EXPECT_EQ(read.back(), Ids{++id}) << by;
  }
}

TEST_F(LogTest, the_fence_checks_owner_and_position) {
  const Beat held = take_all(one_);
  const std::vector<Held> lanes = held.held.at("sink");
  ASSERT_EQ(lanes.size(), 64U);
  const Position next{.tick = lanes[0].saved.tick + 1};
  const auto attempt = [&](Uuid process, const std::vector<Held>& as, std::int64_t id) {
    pg::Group effect;
    fence(effect, process, "sink", as);
    effect.add(kSink, std::format("{{{}}}", id), "{5}");
    save_position(effect, "sink", as, next);
    try {
      run_to_end(database_.loop, work_->run(std::move(effect), {}));
      return true;
    } catch (const pg::Error& error) {
      EXPECT_TRUE(is_fenced(error)) << error.what();
      return false;
    }
  };
  EXPECT_TRUE(attempt(one_, lanes, 1));
  EXPECT_FALSE(attempt(one_, lanes, 2)) << "the same step twice";
  run_to_end(database_.loop, leave(*pulse_, one_));
  const Beat taken = run_to_end(database_.loop, beat(*pulse_, other_, "test", {"sink"}));
  std::vector<Held> stale = lanes;
  for (auto& one : stale) one.saved = next;
  EXPECT_FALSE(attempt(one_, stale, 3)) << "lanes that another process holds";
  EXPECT_TRUE(attempt(other_, taken.held.at("sink"), 4));
  EXPECT_EQ(text("SELECT string_agg(event_id::text, ',' ORDER BY event_id) FROM sink"), "1,4");
}

TEST_F(LogTest, lanes_are_shared_released_and_taken_from_dead_processes) {
  const auto groups = [&](Uuid process) {
    const Beat now = run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
    const auto found = now.held.find("sink");
    return found == now.held.end() ? 0 : found->second.size();
  };
  take_all(one_);
  EXPECT_EQ(groups(one_), 64U);
  EXPECT_EQ(groups(other_), 0U);
  EXPECT_EQ(groups(one_), 32U);
  EXPECT_EQ(groups(other_), 32U);
  admin_.run(std::format("UPDATE heartbeat SET at = at - interval '5 s' WHERE process = '{}'",
                         one_.to_string()));
  EXPECT_EQ(groups(other_), 64U);
  EXPECT_EQ(groups(one_), 0U);  // a slow process finds its lanes taken over
  run_to_end(database_.loop, leave(*pulse_, other_));
  EXPECT_EQ(groups(one_), 64U);
}

TEST_F(LogTest, ticks_that_every_reader_has_passed_are_deleted) {
  const Beat held = take_all(one_);
  for (int i = 0; i < 3; ++i) {
    append(5);
    tick(one_, held);
  }
  admin_.run("UPDATE log_tick SET at = now() - interval '1 hour'");
  const std::string ticks = text("SELECT count(*) FROM log_tick");
  Forgotten forgotten = run_to_end(database_.loop, forget_log(*pulse_, {}));
  EXPECT_EQ(text("SELECT count(*) FROM log_tick"), ticks);
  admin_.run(
      "INSERT INTO lane_position (reader, groups, tick) SELECT 'sink', array_agg(g), (SELECT "
      "max(tick) FROM log_tick) FROM generate_series(0, 63) g");
  forgotten = run_to_end(database_.loop, forget_log(*pulse_, forgotten));
  EXPECT_EQ(text("SELECT count(*) FROM lane_position"), "1");
  EXPECT_EQ(text("SELECT count(*) FROM log_tick"), "1");
}

TEST_F(LogTest, a_month_with_unread_events_is_kept) {
  take_all(one_);
  admin_.run(
      "CREATE TABLE event_2020_01 (LIKE event INCLUDING ALL EXCLUDING IDENTITY);"
      "ALTER TABLE event ATTACH PARTITION event_2020_01 FOR VALUES FROM ('2020-01-01') TO "
      "('2020-02-01');"
      "UPDATE log_tick SET since = '2020-01-15'");
  const std::string keep = "SELECT dropped::text FROM keep_event_partitions('400 days', 0)";
  EXPECT_EQ(text(keep), "{}");
  admin_.run("SELECT drop_log_reader('sink')");
  EXPECT_EQ(text(keep), "{event_2020_01}");
}

}  // namespace
}  // namespace shopbell::event_log
