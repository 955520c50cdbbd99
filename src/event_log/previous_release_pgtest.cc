#include "testing/log_fixture.h"

namespace shopbell::event_log {
namespace {

using runtime::run_to_end;

// The statements of release 0.1.0, which runs beside this one during an upgrade. `one_` is a
// process of the previous release, `other_` of this one.
class PreviousReleaseTest : public LogTest {
 protected:
  PreviousReleaseTest() { previous_.run("SET statement_timeout = '5s'"); }

  // Sends a heartbeat of the previous release. Returns the number of groups that it holds.
  std::size_t previous_beats() {
    const pg::Result rows = previous_.query(std::format(
        "SELECT reader, lane_group, generation, tick, through, after_id FROM beat('{}', '0.1.0', "
        "make_interval(secs => 4), '{{sink}}')",
        one_.to_string()));
    held_.clear();
    for (std::size_t i = 0; i < rows.size(); ++i)
      held_.push_back({.group = static_cast<std::int16_t>(rows[i].integer("lane_group")),
                       .generation = rows[i].integer("generation"),
                       .saved = {.tick = rows[i].integer("tick"),
                                 .through = rows[i].maybe_integer("through"),
                                 .after_id = rows[i].integer("after_id")}});
    return held_.size();
  }
  // Commits as the previous release does: the first statement moves the position. Returns false if
  // the fence refuses the commit.
  bool previous_commits(const Held& held, std::int64_t to, std::int64_t id) {
    try {
      previous_.run(std::format(
          "BEGIN; SELECT advance('{}', 'sink', '{{{}}}', '{{{}}}', '{{{}}}', '{{{}}}', '{{{}}}', "
          "{}, NULL, 0); INSERT INTO sink (event_id, lane) VALUES ({}, {}); COMMIT",
          one_.to_string(), held.group, held.generation, held.saved.tick,
          held.saved.through ? std::to_string(*held.saved.through) : "NULL", held.saved.after_id,
          to, id, held.group * 16));
      return true;
    } catch (const pg::Error& error) {
      EXPECT_TRUE(is_fenced(error)) << error.what();
      previous_.run("ROLLBACK");
      return false;
    }
  }
  std::vector<Held> beats(Uuid process) {
    const Beat now = run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
    const auto found = now.held.find("sink");
    return found == now.held.end() ? std::vector<Held>{} : found->second;
  }
  bool commits(Uuid process, const Held& held, std::int64_t to, std::int64_t id) {
    pg::Group effect;
    fence(effect, process, "sink", std::array{held});
    effect.add(kSink, std::format("{{{}}}", id), std::format("{{{}}}", held.group * 16));
    save_position(effect, "sink", std::array{held}, {.tick = to});
    try {
      run_to_end(database_.loop, work_->run(std::move(effect), {}));
      return true;
    } catch (const pg::Error& error) {
      EXPECT_TRUE(is_fenced(error)) << error.what();
      return false;
    }
  }

  pg::Script previous_{database_.worker_url()};
  std::vector<Held> held_;
};

TEST_F(PreviousReleaseTest, lanes_change_hands_in_both_directions) {
  EXPECT_EQ(previous_beats(), 64U);
  const std::int64_t tick = held_[0].saved.tick;
  EXPECT_TRUE(previous_commits(held_[63], tick + 1, 1));
  EXPECT_FALSE(previous_commits(held_[63], tick + 1, 2)) << "the same step twice";
  const Held stale = {.group = 63, .generation = held_[63].generation, .saved = {.tick = tick + 1}};

  EXPECT_TRUE(beats(other_).empty());
  EXPECT_EQ(previous_beats(), 32U);
  const std::vector<Held> taken = beats(other_);
  ASSERT_EQ(taken.size(), 32U);
  EXPECT_EQ(taken.back().group, 63);
  EXPECT_EQ(taken.back().saved.tick, tick + 1) << "the taker goes on where the other ended";
  EXPECT_FALSE(previous_commits(stale, tick + 2, 3)) << "lanes that the new release has taken";
  EXPECT_TRUE(commits(other_, taken.back(), tick + 2, 4));
  EXPECT_FALSE(commits(other_, taken.back(), tick + 2, 5)) << "the same step twice";

  run_to_end(database_.loop, leave(*pulse_, other_));
  EXPECT_EQ(previous_beats(), 64U);
  EXPECT_EQ(held_[63].saved.tick, tick + 2);
  EXPECT_TRUE(previous_commits(held_[63], tick + 3, 6));
  Held late = taken.back();
  late.saved.tick = tick + 2;
  EXPECT_FALSE(commits(other_, late, tick + 3, 7)) << "lanes that the old release has taken back";
  EXPECT_EQ(text("SELECT string_agg(event_id::text, ' ' ORDER BY event_id) FROM sink"), "1 4 6");
}

// One process commits slowly. Another process does not wait for these lanes: it takes them over
// after the commit, at the committed position.
TEST_F(PreviousReleaseTest, a_transaction_in_flight_keeps_its_lanes) {
  EXPECT_EQ(previous_beats(), 64U);
  const std::int64_t tick = held_[0].saved.tick;
  previous_.run(std::format(
      "BEGIN; SELECT advance('{}', 'sink', '{{0}}', '{{{}}}', '{{{}}}', '{{NULL}}', '{{0}}', {}, "
      "NULL, 0)",
      one_.to_string(), held_[0].generation, tick, tick + 1));
  admin_.run("UPDATE heartbeat SET at = at - interval '5 s'");
  EXPECT_EQ(beats(other_).size(), 63U);
  previous_.run("COMMIT");
  const std::vector<Held> all = beats(other_);
  ASSERT_EQ(all.size(), 64U);
  EXPECT_EQ(all[0].saved.tick, tick + 1);
}

TEST_F(PreviousReleaseTest, its_other_statements_work) {
  previous_beats();
  beats(other_);
  const auto row = [&](const std::string& sql) { return previous_.query(sql).size(); };
  EXPECT_EQ(row(std::format("SELECT t.generation, EXISTS (SELECT FROM process p WHERE p.process = "
                            "t.owner AND p.beat_at > now() - interval '4 s') AS alive FROM "
                            "log_ticker t WHERE t.owner = '{}'",
                            one_.to_string())),
            1U);
  EXPECT_EQ(row("SELECT reader, min(tick) AS tick FROM log_position GROUP BY reader"), 1U);
  EXPECT_EQ(row("SELECT p.process, p.version, p.started_at, p.beat_at, (SELECT count(*) FROM "
                "log_position l WHERE l.owner = p.process) FROM process p"),
            2U);
  EXPECT_EQ(row("SELECT forget_ticks(interval '10 minutes', 3000)"), 1U);
  previous_.run(std::format("SELECT leave('{}')", one_.to_string()));
  EXPECT_EQ(row("SELECT FROM process"), 1U);
}

}  // namespace
}  // namespace shopbell::event_log
