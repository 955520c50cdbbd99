#include <format>
#include <thread>

#include <gtest/gtest.h>

#include "log/log.h"
#include "log/log_status.h"
#include "pg/script.h"
#include "testing/database.h"

namespace shopbell::log {
namespace {

using namespace std::chrono_literals;
using runtime::run_to_end;

constexpr pg::Query kSink{"test.sink", limits::kQueryTimeout,
                          "INSERT INTO sink (event_id, lane) SELECT * FROM "
                          "unnest($1::bigint[], $2::smallint[])"};

// The simplest reader: writes down what it saw, in its order.
void write_down(std::span<const Entry> entries, pg::Group& effect) {
  pg::Array ids;
  pg::Array lanes;
  for (const auto& entry : entries) {
    ids.add(entry.id);
    lanes.add(entry.lane);
  }
  effect.add(kSink, std::move(ids).finish(), std::move(lanes).finish());
}

class LogTest : public ::testing::Test {
 protected:
  LogTest() {
    admin_.run(
        "CREATE TABLE sink (event_id bigint PRIMARY KEY, lane smallint, place bigint GENERATED "
        "ALWAYS AS IDENTITY); GRANT INSERT, SELECT ON sink TO shopbell_worker");
  }

  static std::string insert(int lane, const std::string& kind = "custom.test") {
    return std::format(
        "INSERT INTO event (account_id, uid, lane, kind, format, occurred_at, trigger, hops, "
        "source, payload) VALUES (1, gen_random_uuid(), {}, '{}', 1, now(), 'all', 0, 'test', "
        "'{{}}')",
        lane, kind);
  }
  void append(int lane, const std::string& kind = "custom.test") { admin_.run(insert(lane, kind)); }

  std::string text(const std::string& sql) {
    return admin_.query(std::format("SELECT coalesce(({})::text, '') AS it", sql))[0].text("it");
  }
  // Events of the table, and how many of them the sink has.
  std::string missing() {
    return text(
        "SELECT count(*) FROM event e WHERE NOT EXISTS (SELECT FROM sink s WHERE "
        "s.event_id = e.id)");
  }

  std::unique_ptr<Log> make_log(Reader reader = {.name = "sink", .effect = write_down}) {
    return std::make_unique<Log>(database_.loop, *pulse_, *work_, std::vector{std::move(reader)},
                                 "test", metrics_);
  }
  asio::awaitable<void> until(std::function<bool()> holds) {
    for (int i = 0; i < 1000 && !holds(); ++i) co_await runtime::sleep_for(10ms);
  }
  void wait(const std::function<bool()>& holds) { run_to_end(database_.loop, until(holds)); }
  // Every reader holds all its lanes.
  void wait_ready(int processes = 1) {
    wait([&] {
      return text("SELECT count(owner) FROM log_position") == "64" &&
             text("SELECT count(DISTINCT owner) FROM log_position") == std::to_string(processes);
    });
  }
  void stop(Log& log) { run_to_end(database_.loop, log.stop()); }

  // By hand, without a Log: a process that holds everything.
  Beat take_all(Uuid process) {
    run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
    const Beat first = run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
    tick(process, first);
    return run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
  }
  bool tick(Uuid process, const Beat& as) {
    return run_to_end(database_.loop, make_tick(*pulse_, process, as.ticker.value()));
  }
  // The ids of each batch, tick by tick, from the first tick on.
  std::vector<std::vector<std::int64_t>> batches() {
    std::vector<std::int16_t> groups(64);
    for (std::int16_t i = 0; i < 64; ++i) groups[i] = i;
    std::vector<std::vector<std::int64_t>> all;
    Position at{.tick = std::stoll(text("SELECT min(tick) FROM log_tick"))};
    while (true) {
      const auto step = run_to_end(database_.loop, next_step(*work_, at, at.tick + 1, 1000));
      if (!step) return all;
      auto& ids = all.emplace_back();
      if (const auto batch = batch_between(step->from, step->to)) {
        for (const auto& entry : run_to_end(
                 database_.loop,
                 read_batch(*work_, *batch, step->from.since, {.groups = groups, .limit = 1000})))
          ids.push_back(entry.id);
      }
      at = {.tick = step->to.tick};
    }
  }
  std::vector<std::int64_t> all_read() {
    std::vector<std::int64_t> all;
    for (const auto& batch : batches()) all.insert(all.end(), batch.begin(), batch.end());
    return all;
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> pulse_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> work_ = database_.pool(database_.worker_url());
  observe::Metrics metrics_;
  const Uuid one_ = Uuid::v7(system_clock().now());
  const Uuid other_ = Uuid::v7(system_clock().now());
};

using Ids = std::vector<std::int64_t>;

TEST_F(LogTest, a_tick_is_made_when_there_is_something_to_show) {
  const Beat held = take_all(one_);
  EXPECT_FALSE(tick(one_, held));
  append(5);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  EXPECT_EQ(all_read(), Ids{1});
}

TEST_F(LogTest, what_a_slow_writer_commits_late_is_read_once_and_wakes_the_ticker) {
  const Beat held = take_all(one_);
  pg::Script slow{database_.admin_url()};
  slow.run("BEGIN");
  slow.run(insert(5));
  append(5);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  // No id is drawn any more: the sequence says nothing of it.
  slow.run("COMMIT");
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  const auto read = batches();
  ASSERT_GE(read.size(), 2U);
  EXPECT_EQ(read[read.size() - 2], Ids{2});
  EXPECT_EQ(read.back(), Ids{1});
}

TEST_F(LogTest, an_id_drawn_before_its_transaction_has_a_number_is_not_passed_over) {
  const Beat held = take_all(one_);
  pg::Script early{database_.admin_url()};
  early.run("BEGIN");
  early.run("SELECT nextval('event_id_seq')");  // an id, and no number yet
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

TEST_F(LogTest, a_tick_never_shows_less_than_the_one_before) {
  const Beat held = take_all(one_);
  // The ticker waits for the row of another that is just making a tick.
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

TEST_F(LogTest, who_was_overtaken_makes_no_tick) {
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

// A life of the database that follows another: its transactions count from the beginning.
TEST_F(LogTest, what_comes_after_a_dump_was_loaded_is_read_and_nothing_twice) {
  const Beat held = take_all(one_);
  const std::int64_t epochs = std::stoll(text("SELECT max(epoch) FROM log_epoch"));
  append(5);
  tick(one_, held);
  append(5);  // before the dump, and after the last tick
  admin_.run(
      "UPDATE event SET xid = (xid::text::bigint + 1000000)::text::xid8;"
      "UPDATE log_tick SET shows = (pg_snapshot_xmin(shows)::text::bigint + 1000000 || ':' || "
      "pg_snapshot_xmax(shows)::text::bigint + 1000000 || ':')::pg_snapshot;"
      "UPDATE log_epoch SET life = 'another'");
  append(5);  // before any process has looked which life it is
  EXPECT_TRUE(tick(one_, held));
  append(5);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_FALSE(tick(one_, held));
  EXPECT_EQ(all_read(), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(text("SELECT max(epoch) FROM log_epoch"), std::to_string(epochs + 1));
}

TEST_F(LogTest, the_operator_begins_an_epoch_and_nothing_is_lost) {
  const Beat held = take_all(one_);
  append(5);
  tick(one_, held);
  append(6);
  run_to_end(database_.loop, begin_epoch(*pulse_));
  append(7);
  EXPECT_TRUE(tick(one_, held));
  append(8);
  EXPECT_TRUE(tick(one_, held));
  EXPECT_EQ(all_read(), (Ids{1, 2, 3, 4}));
}

TEST_F(LogTest, an_effect_needs_the_lanes_and_the_place_where_they_were_left) {
  const Beat held = take_all(one_);
  const std::vector<Held> lanes = held.held.at("sink");
  ASSERT_EQ(lanes.size(), 64U);
  const Position next{.tick = lanes[0].saved.tick + 1};
  const auto attempt = [&](Uuid process, const std::vector<Held>& as, std::int64_t id) {
    pg::Group effect;
    advance(effect, process, "sink", as, next);
    effect.add(kSink, std::format("{{{}}}", id), "{5}");
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
  EXPECT_FALSE(attempt(one_, stale, 3)) << "lanes that another holds";
  EXPECT_TRUE(attempt(other_, taken.held.at("sink"), 4));
  EXPECT_EQ(text("SELECT string_agg(event_id::text, ',' ORDER BY event_id) FROM sink"), "1,4");
}

TEST_F(LogTest, lanes_are_shared_handed_over_and_taken_from_the_dead) {
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
  admin_.run(std::format("UPDATE process SET beat_at = now() - interval '5 s' WHERE process = '{}'",
                         one_.to_string()));
  EXPECT_EQ(groups(other_), 64U);
  EXPECT_EQ(groups(one_), 0U);  // it was only slow
  run_to_end(database_.loop, leave(*pulse_, other_));
  EXPECT_EQ(groups(one_), 64U);
}

TEST_F(LogTest, every_event_has_its_effect_once_and_in_order) {
  auto log = make_log();
  log->start();
  wait_ready();
  for (int i = 0; i < 300; ++i) append(i % 1024);
  wait([&] { return missing() == "0"; });
  EXPECT_EQ(missing(), "0");
  EXPECT_EQ(text("SELECT count(*) FROM (SELECT event_id < lag(event_id) OVER (PARTITION BY lane "
                 "ORDER BY place) AS back FROM sink) x WHERE back"),
            "0");
  wait([&] { return text("SELECT count(DISTINCT tick) FROM log_position") == "1"; });
  EXPECT_EQ(text("SELECT max(tick) FROM log_tick"), text("SELECT min(tick) FROM log_position"));
  stop(*log);
  EXPECT_EQ(text("SELECT count(*) FROM process"), "0");
  EXPECT_EQ(text("SELECT count(owner) FROM log_position"), "0");
}

TEST_F(LogTest, two_processes_read_all_of_it_between_them) {
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

TEST_F(LogTest, an_event_that_cannot_be_taken_is_put_aside) {
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

TEST_F(LogTest, what_is_missing_for_the_effect_is_waited_for) {
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

TEST_F(LogTest, ticks_that_every_reader_has_passed_are_forgotten) {
  const Beat held = take_all(one_);
  for (int i = 0; i < 3; ++i) {
    append(5);
    tick(one_, held);
  }
  admin_.run("UPDATE log_tick SET at = now() - interval '1 hour'");
  EXPECT_EQ(run_to_end(database_.loop, forget_ticks(*pulse_)), 0);
  admin_.run("UPDATE log_position SET tick = (SELECT max(tick) FROM log_tick)");
  EXPECT_GE(run_to_end(database_.loop, forget_ticks(*pulse_)), 3);
  EXPECT_EQ(text("SELECT count(*) FROM log_tick"), "1");
}

TEST_F(LogTest, a_month_that_a_reader_has_to_read_is_kept) {
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
}  // namespace shopbell::log
