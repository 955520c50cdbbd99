#include <format>

#include <gtest/gtest.h>

#include "log/log.h"
#include "log/read_ahead.h"
#include "pg/script.h"
#include "testing/database.h"

namespace shopbell::log {
namespace {

using namespace std::chrono_literals;
using runtime::run_to_end;

constexpr pg::Query kSink{"test.sink", limits::kQueryTimeout,
                          "INSERT INTO sink (event_id, lane) SELECT * FROM "
                          "unnest($1::bigint[], $2::smallint[])"};

void write_down(std::span<const Entry> entries, pg::Group& effect) {
  pg::Array ids;
  pg::Array lanes;
  for (const auto& entry : entries) {
    ids.add(entry.id);
    lanes.add(entry.lane);
  }
  effect.add(kSink, std::move(ids).finish(), std::move(lanes).finish());
}

// A reader with much to read at once.
class LargeBatchTest : public ::testing::Test {
 protected:
  LargeBatchTest() {
    admin_.run(
        "CREATE TABLE sink (event_id bigint PRIMARY KEY, lane smallint, place bigint GENERATED "
        "ALWAYS AS IDENTITY); GRANT INSERT ON sink TO shopbell_worker");
  }

  // In one transaction, hence in one batch.
  void append(int count) {
    admin_.run(std::format(
        "INSERT INTO event (account_id, uid, lane, kind, format, occurred_at, trigger, hops, "
        "source) SELECT 1, gen_random_uuid(), n % 1024, 'custom.test', 1, now(), 'all', 0, 'test' "
        "FROM generate_series(1, {}) n",
        count));
  }
  std::string text(const std::string& sql) {
    return admin_.query(std::format("SELECT coalesce(({})::text, '') AS it", sql))[0].text("it");
  }
  std::string missing() {
    return text(
        "SELECT count(*) FROM event e WHERE NOT EXISTS (SELECT FROM sink s WHERE "
        "s.event_id = e.id)");
  }
  // Effects that came before an earlier one of their lane.
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
    auto log = std::make_unique<Log>(database_.loop, *pulse_, *work_,
                                     std::vector{Reader{.name = "sink", .effect = write_down}},
                                     "test", metrics_);
    log->start();
    return log;
  }
  asio::awaitable<void> until(std::function<bool()> holds) {
    for (int i = 0; i < 1500 && !holds(); ++i) co_await runtime::sleep_for(20ms);
  }
  void wait(const std::function<bool()>& holds) { run_to_end(database_.loop, until(holds)); }
  void stop(Log& log) { run_to_end(database_.loop, log.stop()); }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> pulse_ = database_.pool(database_.worker_url());
  std::unique_ptr<pg::Pool> work_ = database_.pool(database_.worker_url(), 2);
  observe::Metrics metrics_;
};

TEST_F(LargeBatchTest, every_event_has_its_effect_once_or_is_put_aside) {
  admin_.run("ALTER TABLE sink ADD CHECK (event_id NOT IN (1999, 2001, 15000))");
  auto log = start_log();
  wait([&] { return owners() == "1"; });
  append(15'000);
  append(1);  // in the batch behind it
  wait([&] { return missing() == "3" && parked() == "1999 2001 15000"; });
  EXPECT_EQ(missing(), "3");
  EXPECT_EQ(parked(), "1999 2001 15000");
  EXPECT_EQ(inverted(), "0");
  stop(*log);
}

TEST_F(LargeBatchTest, lanes_change_hands_in_the_middle) {
  auto one = start_log();
  wait([&] { return owners() == "1"; });
  append(20'000);
  wait([&] { return text("SELECT count(*) > 0 FROM sink") == "true"; });
  auto other = start_log();
  wait([&] { return owners() == "2"; });
  append(10'000);
  wait([&] { return text("SELECT max(event_id) > 22000 FROM sink") == "true"; });
  stop(*one);
  wait([&] { return missing() == "0"; });
  EXPECT_EQ(missing(), "0");
  EXPECT_EQ(inverted(), "0");
  EXPECT_EQ(parked(), "");  // which is where what came twice would be
  stop(*other);
}

}  // namespace
}  // namespace shopbell::log
