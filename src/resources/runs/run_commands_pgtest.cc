// The job that tells the lanes about many runs: each run once, whatever stops the job in between.
#include <filesystem>
#include <format>

#include <gtest/gtest.h>

#include "jobs/job_store.h"
#include "pg/script.h"
#include "resources/runs/run_commands.h"
#include "runtime/wait.h"
#include "storage/directory.h"
#include "testing/database.h"

namespace shopbell::runs {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kWorkflow = "019a8412-7c00-7abc-8def-000000000001";

class RunCommandsTest : public ::testing::Test {
 protected:
  RunCommandsTest() : files_{directory()} {
    admin_.run(
        "INSERT INTO account (account_id, id, name, time_zone, currency, locale) SELECT n, "
        "gen_random_uuid(), 'one', 'UTC', 'EUR', 'en' FROM generate_series(1, 2) n");
  }
  ~RunCommandsTest() override { std::filesystem::remove_all(root_); }

  std::filesystem::path directory() {
    std::string made = (std::filesystem::temp_directory_path() / "shopbell-runs.XXXXXX").string();
    return root_ = ::mkdtemp(made.data());
  }

  // Statement that adds runs of the workflow.
  static std::string runs(int count, std::string_view state = "open", int account = 1) {
    return std::format(
        "INSERT INTO run (account_id, contact_id, run_id, workflow_id, version, lane, state, node, "
        "seq, key, enrolment_key, started_at, node_since, visits, has_sent, converted, seen, "
        "trail) "
        "SELECT {}, gen_random_uuid(), gen_random_uuid(), '{}', 1, n % 1024, '{}', 'day', 1, '', "
        "'', now(), now(), 1, false, false, '', '' FROM generate_series(1, {}) n",
        account, kWorkflow, state, count);
  }

  void queue(const std::string& kind) {
    pg::Group reads;
    read_unfinished_commands(reads, 1);
    const pg::Results found =
        runtime::run_to_end(database_.loop, api_->run(std::move(reads), {.account = 1}));
    pg::Group effect;
    queue_command(
        effect, 1, found[0],
        {.workflow = *Uuid::parse(kWorkflow), .kind = kind, .why = "finished", .nodes = {}},
        std::nullopt, system_clock().now());
    runtime::run_to_end(database_.loop, api_->run(std::move(effect), {.account = 1}));
  }

  // Works on jobs, ten runs a page, until the condition holds; then stops.
  void work(const std::function<bool()>& holds) {
    observe::Metrics metrics;
    jobs::Worker worker{database_.loop, *worker_, files_, {run_commands_kind(20ms, 10)}, metrics};
    runtime::run_to_end(database_.loop, drive(worker, holds));
  }
  boost::asio::awaitable<void> drive(jobs::Worker& worker, std::function<bool()> holds) {
    boost::asio::co_spawn(database_.loop, worker.run(), boost::asio::detached);
    for (int i = 0; i < 1000 && !holds(); ++i) co_await runtime::sleep_for(10ms);
    co_await worker.stop();
    co_await runtime::sleep_for(300ms);  // run() has ended by then
  }

  std::string text(const std::string& sql) {
    return admin_.query(std::format("SELECT coalesce(({})::text, '') AS it", sql))[0].text("it");
  }
  bool is_finished() { return text("SELECT count(*) FROM job WHERE state <> 'finished'") == "0"; }
  // The runs that were told, and how many different ones these are.
  std::string told() {
    return text(
        "SELECT count(*) || ' ' || count(DISTINCT r->>'runId') FROM event e, "
        "json_array_elements(e.payload::json->'runs') r WHERE e.kind = 'run-command'");
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  std::unique_ptr<pg::Pool> worker_ = database_.pool(database_.worker_url());
  std::filesystem::path root_;
  storage::Directory files_;
};

TEST_F(RunCommandsTest, another_worker_goes_on_where_the_first_one_stopped) {
  admin_.run(runs(95));
  admin_.run(runs(5, "open", 2));  // of another account
  queue("end");
  work([&] { return std::stoi(text("SELECT done FROM job")) >= 20; });
  EXPECT_FALSE(is_finished());
  work([&] { return is_finished(); });
  EXPECT_TRUE(is_finished());
  EXPECT_EQ(told(), "95 95");
  EXPECT_EQ(text("SELECT done FROM job"), "95");
  EXPECT_EQ(text("SELECT count(*) FROM event WHERE account_id = 2"), "0");
}

TEST_F(RunCommandsTest, tells_only_the_runs_that_the_command_is_for) {
  for (const auto* state : {"open", "held", "parked", "done"}) admin_.run(runs(7, state));
  queue("release");
  work([&] { return is_finished(); });
  EXPECT_EQ(told(), "7 7");
  EXPECT_EQ(
      text("SELECT count(*) FROM event e, json_array_elements(e.payload::json->'runs') j, run r "
           "WHERE r.run_id = (j->>'runId')::uuid AND r.state <> 'held'"),
      "0");
}

TEST_F(RunCommandsTest, waits_for_transactions_that_may_use_the_old_state) {
  pg::Script lane{database_.admin_url()};
  lane.run("BEGIN;" + runs(3));  // starts runs, although the workflow is finished meanwhile
  queue("end");
  int looked = 0;
  work([&] {
    if (++looked == 80) {
      EXPECT_FALSE(is_finished());
      lane.run("COMMIT");
    }
    return is_finished();
  });
  EXPECT_GE(looked, 80);
  EXPECT_EQ(told(), "3 3");
}

}  // namespace
}  // namespace shopbell::runs
