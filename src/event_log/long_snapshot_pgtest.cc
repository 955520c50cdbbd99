#include "testing/log_fixture.h"

namespace shopbell::event_log {
namespace {

using runtime::run_to_end;

// A dump or an export keeps every row version alive. Heartbeats, commits and clean-up must not get
// slower while it runs.
class LongSnapshotTest : public LogTest {
 protected:
  LongSnapshotTest() {
    admin_.run("SET synchronous_commit = off; SET enable_seqscan = off");  // as in the service
    // Moves two groups, one tick per commit; all 64 in every hundredth commit.
    admin_.run(std::format(
        "CREATE PROCEDURE commit_often(count integer) LANGUAGE plpgsql AS $$ "
        "DECLARE "
        "  few smallint[] := '{{3, 40}}'; "
        "  every smallint[] := ARRAY(SELECT generate_series(0, 63)); "
        "  moved smallint[]; "
        "BEGIN FOR i IN 1..count LOOP "
        "  moved := CASE WHEN i % 100 = 0 THEN every ELSE few END; "
        "  PERFORM fence_lanes('{0}', 'sink', array_agg(o.lane_group), array_agg(o.generation), "
        "    array_agg(p.tick), array_agg(p.through), array_agg(p.after_id)) "
        "    FROM lane_owner o JOIN lane_positions('sink', moved) p USING (lane_group) "
        "    WHERE o.reader = 'sink'; "
        "  PERFORM save_position('sink', moved, (SELECT max(tick) FROM log_tick), NULL, i); "
        "  IF i % 10 = 0 THEN PERFORM beat('{0}', 'test', '4 s', '{{sink}}'); END IF; "
        "  COMMIT; "
        "END LOOP; END $$",
        one_.to_string()));
  }

  // Blocks that PostgreSQL touches for a statement.
  int blocks(const std::string& sql) {
    return touched_blocks(admin_.query("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) " + sql));
  }
  struct Costs {
    int beat;
    int positions;
    int lags;
    int forget;
  };
  Costs costs(const Forgotten& forgotten) {
    const auto or_null = [](std::optional<std::int64_t> number) {
      return number ? std::to_string(*number) : "NULL";
    };
    return {
        .beat =
            blocks(std::format("SELECT beat('{}', 'test', '4 s', '{{sink}}')", one_.to_string())),
        .positions = blocks("SELECT * FROM lane_positions('sink')"),
        .lags = blocks("SELECT min(tick) FROM log_position"),
        .forget = blocks(std::format("SELECT * FROM forget_log('10 min', '3 days', 3000, {}, {})",
                                     or_null(forgotten.ticks), or_null(forgotten.positions)))};
  }
};

TEST_F(LongSnapshotTest, commits_heartbeats_and_cleaning_cost_the_same) {
  take_all(one_);
  admin_.run("CALL commit_often(100)");
  Forgotten forgotten = run_to_end(database_.loop, forget_log(*pulse_, {}));
  const Costs before = costs(forgotten);
  pg::Script dump{database_.admin_url()};
  dump.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM lane_position");
  for (int i = 0; i < 10; ++i) {
    // Most positions come from one statement: a commit for each would take long.
    admin_.run(
        "INSERT INTO lane_position (reader, groups, tick) SELECT 'sink', '{3, 40}', max(tick) FROM "
        "log_tick CROSS JOIN generate_series(1, 500) i GROUP BY i");
    admin_.run("CALL commit_often(100)");
    forgotten = run_to_end(database_.loop, forget_log(*pulse_, forgotten));
  }
  const Costs after = costs(forgotten);
  EXPECT_GT(before.beat, 0);
  EXPECT_LT(after.beat, 2 * before.beat + 100);
  EXPECT_LT(after.positions, 2 * before.positions + 50);
  EXPECT_LT(after.lags, 2 * before.lags + 50);
  EXPECT_LT(after.forget, 2 * before.forget + 60);
  // The dead rows exist, but the queries do not read them.
  EXPECT_GT(std::stoi(text("SELECT pg_relation_size('lane_position') / 8192")), 30);
  EXPECT_LT(std::stoi(text("SELECT count(*) FROM lane_position")), 1000);
  dump.run("COMMIT");
}

// If the owner of a group cannot commit, the ticker repeats the position of the group.
TEST_F(LongSnapshotTest, positions_that_do_not_move_are_repeated) {
  take_all(one_);
  const std::string tick = text("SELECT tick FROM log_position WHERE lane_group = 7");
  for (int i = 0; i < 2; ++i) {
    admin_.run(
        "INSERT INTO lane_position (reader, groups, tick) SELECT 'sink', '{1, 2}', 5 FROM "
        "generate_series(1, 4000)");
    run_to_end(database_.loop, forget_log(*pulse_, {}));
  }
  EXPECT_EQ(text("SELECT tick FROM log_position WHERE lane_group = 7"), tick);
  EXPECT_EQ(text("SELECT tick FROM log_position WHERE lane_group = 1"), "5");
  EXPECT_EQ(text("SELECT max(number) - min(number) < 10 FROM lane_positions('sink')"), "true");
}

TEST_F(LongSnapshotTest, a_reader_that_no_process_has_is_dropped_after_days) {
  take_all(one_);
  run_to_end(database_.loop, beat(*pulse_, other_, "test", {"old"}));
  run_to_end(database_.loop, leave(*pulse_, other_));
  const auto readers = [&] {
    run_to_end(database_.loop, forget_log(*pulse_, {}));
    return text("SELECT string_agg(DISTINCT reader, ' ') FROM lane_owner");
  };
  EXPECT_EQ(readers(), "old sink");
  admin_.run("UPDATE lane_position SET at = at - interval '73 hours'");
  EXPECT_EQ(readers(), "old sink") << "the only process has just started: others may follow";
  admin_.run("UPDATE running_process SET started_at = now() - interval '2 hours'");
  EXPECT_EQ(readers(), "sink");
  EXPECT_EQ(text("SELECT count(*) FROM lane_position WHERE reader = 'old'"), "0");
}

// Neither a heartbeat nor a look at all positions reads the positions of a reader once per group.
TEST_F(LongSnapshotTest, positions_are_read_once_per_reader) {
  take_all(one_);
  const std::string beat =
      std::format("SELECT beat('{}', 'test', '4 s', '{{sink,second,third}}')", one_.to_string());
  admin_.run(beat);
  admin_.run(beat);
  ASSERT_EQ(text("SELECT count(*) FROM lane_owner WHERE owner IS NOT NULL"), "192");
  admin_.run("SET track_functions = 'all'");
  const auto calls = [&] {
    return text(
        "SELECT coalesce(sum(calls), 0)::integer FROM pg_stat_xact_user_functions "
        "WHERE funcname = 'lane_positions'");
  };
  admin_.run("BEGIN; " + beat);
  EXPECT_EQ(calls(), "3");
  admin_.run("SELECT count(*) FROM log_position");
  EXPECT_EQ(calls(), "6");
  admin_.run("COMMIT");
}

}  // namespace
}  // namespace shopbell::event_log
