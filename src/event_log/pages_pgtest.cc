#include "event_log/queries.h"
#include "testing/log_fixture.h"

namespace shopbell::event_log {
namespace {

// A batch of hours: the ticker was down while 40 transactions wrote a thousand events each.
class HugeBatchTest : public LogTest {
 protected:
  static constexpr std::int64_t kEvents = 40'000;
  static constexpr std::int64_t kPageEvents = 1'000;

  HugeBatchTest() {
    held_ = take_all(one_);
    append(5);
    tick(one_, held_);
    admin_.run(
        "CREATE PROCEDURE fill() LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..40 LOOP "
        "INSERT INTO event (account_id, uid, lane, kind, format, occurred_at, trigger, hops, "
        "source) SELECT n % 200, gen_random_uuid(), n % 1024, 'custom.test', 1, now(), 'all', 0, "
        "'test' FROM generate_series(1, 1000) n; COMMIT; END LOOP; END $$");
    admin_.run("CALL fill()");
    admin_.run("ANALYZE event");
    tick(one_, held_);
    const auto newest = std::stoll(text("SELECT max(tick) FROM log_tick"));
    step_ = runtime::run_to_end(database_.loop, next_step(*work_, {.tick = newest - 1}, {}, 1000));
    batch_ = batch_between(step_->from, step_->to);
    admin_.run("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off");
    admin_.run(std::format(
        "PREPARE page (xid8, xid8, xid8[], xid8[], timestamptz, bigint, bigint, bigint, boolean, "
        "bigint, bigint, text, bigint, boolean) AS {}",
        sql::read_batch.sql));
  }

  Page read(std::int64_t after, std::optional<std::string> reader = {}) {
    std::vector<std::int16_t> every(kLaneGroups);
    for (std::int16_t i = 0; i < kLaneGroups; ++i) every[i] = i;
    return runtime::run_to_end(database_.loop, read_batch(*work_, *batch_, step_->from.since,
                                                          {.groups = every,
                                                           .after_id = after,
                                                           .limit = kPageEvents,
                                                           .reader = std::move(reader)}));
  }
  struct Pages {
    std::int64_t events = 0;
    int pages = 0;
  };
  // Reads the batch to its end; expects ascending ids.
  Pages read_all(const std::optional<std::string>& reader) {
    Pages all;
    std::int64_t before = 0;
    std::int64_t after = batch_->above_id;
    for (bool last = false; !last; ++all.pages) {
      const Page page = read(after, reader);
      for (std::size_t i = 0; std::cmp_less(i, page.size()); ++i) {
        const std::int64_t id = (*page.rows)[i].integer("id");
        EXPECT_GT(id, before);
        before = id;
      }
      all.events += page.size();
      last = page.last;
      EXPECT_GT(page.reached, after);
      after = page.reached;
    }
    return all;
  }
  // Blocks that PostgreSQL touches for a page.
  int blocks(std::int64_t after, const std::string& reader = "NULL") {
    const pg::Result plan = admin_.query(std::format(
        "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) EXECUTE page ('{}', '{}', '{{}}', "
        "'{{}}', '{}', {}, -1, {}, true, {}, 16777216, {}, {}, false)",
        batch_->begin, batch_->end, step_->from.since, after, kPageEvents,
        std::max(after, batch_->unseen_id) + kPageEvents * limits::kLogIdsPerEvent, reader,
        batch_->unseen_id));
    return touched_blocks(plan);
  }

  Beat held_;
  std::optional<Step> step_;
  std::optional<Batch> batch_;
};

// One test, because writing the events takes most of the time.
TEST_F(HugeBatchTest, the_cost_of_a_page_depends_on_the_page) {
  const int all = std::stoi(
      text("SELECT sum(relpages) FROM pg_class WHERE relname LIKE 'event_2%' AND relkind = 'r'"));
  ASSERT_GT(all, 400);
  for (const std::int64_t after : {batch_->unseen_id, kEvents / 2, kEvents - 2 * kPageEvents}) {
    const int touched = blocks(after);
    EXPECT_GT(touched, 0);
    EXPECT_LT(touched, 100) << "after " << after;
  }
  // The first page also looks for ids drawn before the tick, in the index alone.
  EXPECT_LT(blocks(batch_->above_id), 300);
  // Nobody has a webhook: each page skips its ids and ends.
  EXPECT_LT(blocks(kEvents / 2, "'webhooks'"), 150 + 3 * kPageEvents * limits::kLogIdsPerEvent);

  const Pages read = read_all({});
  EXPECT_EQ(read.events, kEvents);
  EXPECT_LE(read.pages, kEvents / kPageEvents + 1);
  const Pages skipped = read_all("webhooks");
  EXPECT_EQ(skipped.events, 0);
  EXPECT_LE(skipped.pages, kEvents / (kPageEvents * limits::kLogIdsPerEvent) + 2);

  // A tick while a transaction is in flight: its events are looked for, but not among all others.
  pg::Script slow{database_.admin_url()};
  slow.run("BEGIN; SELECT pg_current_xact_id()");
  tick(one_, held_);
  const pg::Result news = admin_.query(
      "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) SELECT log_has_news(t, 0) FROM log_tick t "
      "ORDER BY tick DESC LIMIT 1");
  EXPECT_LT(touched_blocks(news), 150);
}

}  // namespace
}  // namespace shopbell::event_log
