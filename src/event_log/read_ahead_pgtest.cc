#include "event_log/read_ahead.h"
#include "testing/log_fixture.h"

namespace shopbell::event_log {
namespace {

using namespace std::chrono_literals;

// A reader with a large backlog.
class LargeBatchTest : public LogTest {
 protected:
  // Appends events in one transaction, so that they are in one batch.
  void append_many(int count) {
    admin_.run(std::format(
        "INSERT INTO event (account_id, uid, lane, kind, format, occurred_at, trigger, hops, "
        "source) SELECT 1, gen_random_uuid(), n % 1024, 'custom.test', 1, now(), 'all', 0, 'test' "
        "FROM generate_series(1, {}) n",
        count));
  }
  // Counts effects that came before an earlier event of their lane.
  std::string inverted() {
    return text(
        "SELECT count(*) FROM (SELECT event_id < lag(event_id) OVER (PARTITION BY lane ORDER BY "
        "place) AS back FROM sink) x WHERE back");
  }
  std::string parked() {
    return text("SELECT string_agg(event_id::text, ' ' ORDER BY event_id) FROM log_parked");
  }
  std::string owners() { return text("SELECT count(DISTINCT owner) FROM log_position"); }

  std::unique_ptr<Log> start_log() {
    auto log = make_log();
    log->start();
    return log;
  }
};

TEST_F(LargeBatchTest, every_event_has_its_effect_once_or_is_parked) {
  admin_.run("ALTER TABLE sink ADD CHECK (event_id NOT IN (1999, 2001, 15000))");
  auto log = start_log();
  wait([&] { return owners() == "1"; });
  append_many(15'000);
  append(1);  // this event is in the next batch
  wait([&] { return missing() == "3" && parked() == "1999 2001 15000"; });
  EXPECT_EQ(missing(), "3");
  EXPECT_EQ(parked(), "1999 2001 15000");
  EXPECT_EQ(inverted(), "0");
  stop(*log);
}

TEST_F(LargeBatchTest, lanes_change_owner_within_a_batch) {
  auto one = start_log();
  wait([&] { return owners() == "1"; });
  append_many(20'000);
  wait([&] { return text("SELECT count(*) > 0 FROM sink") == "true"; });
  auto other = start_log();
  wait([&] { return owners() == "2"; });
  append_many(10'000);
  wait([&] { return text("SELECT max(event_id) > 22000 FROM sink") == "true"; });
  stop(*one);
  wait([&] { return missing() == "0"; });
  EXPECT_EQ(missing(), "0");
  EXPECT_EQ(inverted(), "0");
  EXPECT_EQ(parked(), "");  // duplicates would be parked
  stop(*other);
}

// Each effect is saved when it has completed, in order. If one fails, it and all later ones are
// repeated.
TEST_F(LargeBatchTest, external_effects_overlap_and_are_saved_in_order) {
  struct Effect {
    std::int64_t first;
    std::int64_t last;
  };
  std::vector<Effect> begun;
  std::vector<Effect> happened;
  bool fails = true;
  bool overlaps = false;
  const auto saved = [&] { return std::stoll(text("SELECT max(after_id) FROM log_position")); };
  const auto happen = [&](Effect effect) -> asio::awaitable<void> {
    co_await runtime::sleep_for(50ms);
    EXPECT_LT(saved(), effect.first);
    if (happened.size() == 2 && std::exchange(fails, false)) throw std::runtime_error{"away"};
    overlaps = overlaps || begun.back().first > effect.first;
    happened.push_back(effect);
  };
  auto log = make_log({.name = "outside", .outside = [&](std::span<const Entry> entries) {
                         begun.push_back({entries.front().id, entries.back().id});
                         return Begun{happen(begun.back())};
                       }});
  log->start();
  wait([&] { return owners() == "1"; });
  append_many(70'000);
  wait([&] { return !happened.empty() && happened.back().last == 70'000; });
  stop(*log);
  EXPECT_TRUE(overlaps);
  EXPECT_GT(begun.size(), happened.size());  // effects after a failure are repeated
  std::int64_t next = 1;
  for (const auto& effect : happened) {
    EXPECT_EQ(effect.first, next);
    next = effect.last + 1;
  }
  EXPECT_EQ(next, 70'001);
  EXPECT_EQ(text("SELECT min(last_id) FROM log_position JOIN log_tick USING (tick)"), "70000");
}

TEST_F(LargeBatchTest, a_finished_page_is_saved_when_the_next_read_fails) {
  std::vector<std::int64_t> ids;
  auto log = make_log({.name = "outside", .outside = [&](std::span<const Entry> entries) {
                         if (ids.empty()) admin_.run("REVOKE SELECT ON event FROM shopbell_worker");
                         for (const auto& entry : entries) ids.push_back(entry.id);
                         return Begun{runtime::sleep_for(0ms)};
                       }});
  log->start();
  wait([&] { return owners() == "1"; });
  append_many(60'000);
  wait([&] {
    return !ids.empty() &&
           text("SELECT min(after_id) FROM log_position") == std::to_string(ids.back());
  });
  EXPECT_LT(ids.size(), 60'000U);
  admin_.run("GRANT SELECT ON event TO shopbell_worker");
  wait([&] { return ids.size() >= 60'000; });
  stop(*log);
  ASSERT_EQ(ids.size(), 60'000U);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
}

TEST_F(LargeBatchTest, a_page_is_limited_by_the_size_of_its_payloads) {
  std::vector<std::int64_t> ids;
  std::size_t most = 0;
  auto log = make_log(
      {.name = "payloads", .payloads = true, .outside = [&](std::span<const Entry> entries) {
         std::size_t bytes = 0;
         for (const auto& entry : entries) {
           ids.push_back(entry.id);
           bytes += entry.payload->size();
         }
         most = std::max(most, bytes);
         return Begun{runtime::sleep_for(0ms)};
       }});
  log->start();
  wait([&] { return owners() == "1"; });
  // Events of the maximum size that compress to almost nothing: 60 MB when sent.
  admin_.run(
      "INSERT INTO event (account_id, uid, lane, kind, format, occurred_at, trigger, hops, source, "
      "payload) SELECT 1, gen_random_uuid(), 0, 'custom.test', 1, now(), 'all', 0, 'test', "
      "jsonb_build_object('text', repeat('x', 250000)) FROM generate_series(1, 240)");
  wait([&] { return ids.size() == 240; });
  ASSERT_EQ(ids.size(), 240U);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_LE(most, static_cast<std::size_t>(limits::kLogReadBytes) + 256UL * 1024);
  EXPECT_GE(most, static_cast<std::size_t>(limits::kLogReadBytes) - 256UL * 1024);
  stop(*log);
}

}  // namespace
}  // namespace shopbell::event_log
