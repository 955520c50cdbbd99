// Fixture of the log tests: a database, events in it, and a reader that records what it saw.
#pragma once

#include <format>

#include <gtest/gtest.h>

#include "event_log/log.h"
#include "pg/script.h"
#include "testing/database.h"

namespace shopbell::event_log {

inline constexpr pg::Query kSink{"test.sink", limits::kQueryTimeout,
                                 "INSERT INTO sink (event_id, lane) SELECT * FROM "
                                 "unnest($1::bigint[], $2::smallint[])"};

// The simplest reader: records events, in order.
inline void write_down(std::span<const Entry> entries, pg::Group& effect) {
  pg::Array ids;
  pg::Array lanes;
  for (const auto& entry : entries) {
    ids.add(entry.id);
    lanes.add(entry.lane);
  }
  effect.add(kSink, std::move(ids).finish(), std::move(lanes).finish());
}

// Blocks that PostgreSQL touched, by the output of EXPLAIN with BUFFERS; -1 without any.
inline int touched_blocks(const pg::Result& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const std::string line = plan[i].text("QUERY PLAN");
    if (!line.contains("Buffers: shared")) continue;
    int sum = 0;
    for (const std::string_view counter : {"hit=", "read="})
      if (const auto at = line.find(counter); at != std::string::npos)
        sum += std::stoi(line.substr(at + counter.size()));
    return sum;
  }
  return -1;
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
  // Counts events that the sink does not have.
  std::string missing() {
    return text(
        "SELECT count(*) FROM event e WHERE NOT EXISTS (SELECT FROM sink s WHERE "
        "s.event_id = e.id)");
  }

  std::unique_ptr<Log> make_log(Reader reader = {.name = "sink", .effect = write_down}) {
    return std::make_unique<Log>(
        database_.loop, *pulse_, database_.loop, *work_, std::vector{std::move(reader)},
        ProcessIdentity{
            .process = Uuid::v7(system_clock().now()), .version = "test", .keyring_keys = {}},
        metrics_);
  }
  asio::awaitable<void> until(std::function<bool()> holds) {
    for (int i = 0; i < 3000 && !holds(); ++i)
      co_await runtime::sleep_for(std::chrono::milliseconds{10});
  }
  void wait(const std::function<bool()>& holds) {
    runtime::run_to_end(database_.loop, until(holds));
  }
  // Waits until all lanes have an owner.
  void wait_ready(int processes = 1) {
    wait([&] {
      return text("SELECT count(owner) FROM log_position") == "64" &&
             text("SELECT count(DISTINCT owner) FROM log_position") == std::to_string(processes);
    });
  }
  void stop(Log& log) { runtime::run_to_end(database_.loop, log.stop()); }

  // Gives all lanes and the ticker role to the process, without a Log object.
  Beat take_all(Uuid process) {
    runtime::run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
    const Beat first =
        runtime::run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
    tick(process, first);
    return runtime::run_to_end(database_.loop, beat(*pulse_, process, "test", {"sink"}));
  }
  bool tick(Uuid process, const Beat& as) {
    return runtime::run_to_end(database_.loop, make_tick(*pulse_, process, as.ticker.value())).made;
  }
  // The ids of each batch, tick by tick, starting with the first tick.
  std::vector<std::vector<std::int64_t>> batches() {
    std::vector<std::int16_t> groups(64);
    for (std::int16_t i = 0; i < 64; ++i) groups[i] = i;
    std::vector<std::vector<std::int64_t>> all;
    Position at{.tick = std::stoll(text("SELECT min(tick) FROM log_tick"))};
    while (true) {
      const auto step =
          runtime::run_to_end(database_.loop, next_step(*work_, at, at.tick + 1, 1000));
      if (!step) return all;
      auto& ids = all.emplace_back();
      if (const auto batch = batch_between(step->from, step->to)) {
        const Page page = runtime::run_to_end(
            database_.loop,
            read_batch(*work_, *batch, step->from.since, {.groups = groups, .limit = 1000}));
        for (std::size_t i = 0; i < page.rows->size(); ++i)
          ids.push_back((*page.rows)[i].integer("id"));
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
  std::unique_ptr<pg::Pool> work_ = database_.pool(database_.worker_url(), 2);
  observe::Metrics metrics_;
  const Uuid one_ = Uuid::v7(system_clock().now());
  const Uuid other_ = Uuid::v7(system_clock().now());
};

using Ids = std::vector<std::int64_t>;

}  // namespace shopbell::event_log
