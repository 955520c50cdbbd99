#include <filesystem>
#include <format>

#include <gtest/gtest.h>

#include "base/problem.h"
#include "jobs/job_store.h"
#include "jobs/worker.h"
#include "pg/script.h"
#include "storage/directory.h"
#include "testing/database.h"

namespace shopbell::jobs {
namespace {

using namespace std::chrono_literals;

asio::awaitable<Done> finish(Running& running) {
  running.progress = {3, 3};
  co_return Done{.result = R"({"rows":3})",
                 .expires_at = std::nullopt,
                 .at = co_await read_time(running.database()),
                 .effect = {}};
}

asio::awaitable<Done> refuse(Running&) {
  co_await runtime::sleep_for(1ms);
  throw Problem{Code::not_found, "There is nothing."};
}

asio::awaitable<Done> throw_unexpected(Running&) {
  co_await runtime::sleep_for(1ms);
  throw std::runtime_error{"secret"};
}

// Runs until the job is no longer wanted.
asio::awaitable<Done> run_until_unwanted(Running& running) {
  runtime::Bell ended{running.loop().get_executor()};
  running.when_unwanted([&ended] { ended.ring(); });
  co_await ended.wait();
  running.when_unwanted({});
  running.check();
  throw std::logic_error{"it was wanted"};
}

asio::awaitable<void> nothing_to_remove(const Job&) { co_return; }

using Work = asio::awaitable<Done> (*)(Running&);

class WorkerTest : public ::testing::Test {
 protected:
  WorkerTest() : files_{directory()} {
    admin_.run(
        "INSERT INTO account (account_id, id, name, time_zone, currency, locale) VALUES "
        "(1, gen_random_uuid(), 'one', 'UTC', 'EUR', 'en')");
  }
  ~WorkerTest() override { std::filesystem::remove_all(root_); }

  std::filesystem::path directory() {
    std::string made = (std::filesystem::temp_directory_path() / "shopbell-jobs.XXXXXX").string();
    return root_ = ::mkdtemp(made.data());
  }

  Job queue(const std::string& kind = "export") {
    Job job;
    job.account = 1;
    job.id = Uuid::v7(system_clock().now());
    job.kind = kind;
    job.type = "contacts";
    job.options = "{}";
    job.queued_at = system_clock().now();
    pg::Group effect;
    add_job(effect, job, 1000);
    runtime::run_to_end(database_.loop, api_->run(std::move(effect), {.account = 1}));
    return job;
  }

  std::string text(const std::string& sql) {
    return admin_.query(std::format("SELECT coalesce(({})::text, '') AS it", sql))[0].text("it");
  }
  std::string state(const Job& job) {
    return text(std::format("SELECT state FROM job WHERE job_id = '{}'", job.id.to_string()));
  }

  asio::awaitable<void> until(std::function<bool()> holds) {
    for (int i = 0; i < 500 && !holds(); ++i) co_await runtime::sleep_for(20ms);
  }

  // Runs a worker with that work until the condition holds, then stops it.
  void work(Work what, const std::function<bool()>& holds) {
    Worker worker{database_.loop,
                  *worker_pool_,
                  files_,
                  {Kind{.name = "export", .run = what, .take_back = nothing_to_remove}},
                  metrics_};
    runtime::run_to_end(database_.loop, drive(worker, holds));
  }
  asio::awaitable<void> drive(Worker& worker, std::function<bool()> holds) {
    asio::co_spawn(database_.loop, worker.run(), asio::detached);
    co_await until(holds);
    co_await worker.stop();
    co_await runtime::sleep_for(300ms);  // run() has ended by then
  }

  shopbell::testing::TestDatabase database_;
  pg::Script admin_{database_.admin_url()};
  std::unique_ptr<pg::Pool> api_ = database_.pool(database_.api_url());
  std::unique_ptr<pg::Pool> worker_pool_ = database_.pool(database_.worker_url());
  std::filesystem::path root_;
  storage::Directory files_;
  observe::Metrics metrics_;
};

TEST_F(WorkerTest, runs_every_job_a_few_at_once) {
  std::vector<Job> jobs;
  for (int i = 0; i < 7; ++i) jobs.push_back(queue());
  work(finish, [&] { return text("SELECT count(*) FROM job WHERE state = 'finished'") == "7"; });
  for (const auto& job : jobs) EXPECT_EQ(state(job), "finished");
  EXPECT_EQ(text("SELECT sum(done) FROM job"), "21");
  EXPECT_NE(metrics_.text().find(R"(shopbell_jobs_total{kind="export",outcome="finished"} 7)"),
            std::string::npos);
}

TEST_F(WorkerTest, long_jobs_of_one_kind_do_not_delay_another_kind) {
  for (int i = 0; i < 3; ++i) queue("export");
  const auto running = [&] {
    return text("SELECT count(*) FROM job WHERE kind = 'export' AND state = 'inProgress'");
  };
  std::optional<Job> import;
  Worker worker{database_.loop,
                *worker_pool_,
                files_,
                {Kind{.name = "export", .run = run_until_unwanted, .take_back = nothing_to_remove},
                 Kind{.name = "import", .run = finish, .take_back = nothing_to_remove}},
                metrics_};
  std::string exports;
  runtime::run_to_end(database_.loop, drive(worker, [&] {
                        if (running() != "2") return false;
                        if (!import) {
                          import = Job{};
                          admin_.run(
                              "INSERT INTO job (account_id, job_id, kind, type, options, "
                              "queued_at, updated_at) VALUES (1, gen_random_uuid(), 'import', "
                              "'contacts', '{}', now(), now())");
                        }
                        exports = running();
                        return text("SELECT state FROM job WHERE kind = 'import'") == "finished";
                      }));
  EXPECT_EQ(text("SELECT state FROM job WHERE kind = 'import'"), "finished");
  EXPECT_EQ(exports, "2");
}

TEST_F(WorkerTest, reports_problems_and_hides_internal_errors) {
  const Job refused = queue();
  work(refuse, [&] { return state(refused) == "error"; });
  EXPECT_EQ(text("SELECT error->>'code' FROM job"), "not-found");
  const Job broken = queue();
  work(throw_unexpected, [&] { return state(broken) == "error"; });
  EXPECT_EQ(text("SELECT count(*) FROM job WHERE error::text LIKE '%secret%'"), "0");
  EXPECT_EQ(text("SELECT count(*) FROM job WHERE error->>'code' = 'internal'"), "1");
}

TEST_F(WorkerTest, stopping_returns_jobs_to_the_queue) {
  const Job job = queue();
  const auto began = runtime::Steady::now();
  work(run_until_unwanted, [&] { return state(job) == "inProgress"; });
  EXPECT_LT(runtime::Steady::now() - began, 4s);
  EXPECT_EQ(state(job), "queued");
}

TEST_F(WorkerTest, cancelling_takes_effect_within_a_second) {
  const Job job = queue();
  std::optional<runtime::Steady::time_point> cancelled;
  std::optional<runtime::Steady::time_point> heard;
  work(run_until_unwanted, [&] {
    if (!cancelled && state(job) == "inProgress") {
      admin_.run("UPDATE job SET state = 'cancelled', leased_until = NULL");
      cancelled = runtime::Steady::now();
    }
    if (metrics_.text().contains(R"(outcome="interrupted"} 1)")) heard = runtime::Steady::now();
    return heard.has_value();
  });
  ASSERT_TRUE(cancelled && heard);
  EXPECT_LT(*heard - *cancelled, 1s);
  EXPECT_EQ(state(job), "cancelled");
}

TEST_F(WorkerTest, old_records_and_files_are_removed) {
  const Job expired = queue();
  const Job old = queue();
  const Job hopeless = queue();
  const Job fresh = queue();
  const auto set = [&](const Job& job, const std::string& values) {
    admin_.run(std::format("UPDATE job SET {} WHERE job_id = '{}'", values, job.id.to_string()));
  };
  set(expired,
      "state = 'finished', finished_at = now() - interval '8 days', expires_at = now() - interval "
      "'1 day'");
  set(old, "state = 'cancelled', finished_at = now() - interval '31 days'");
  set(hopeless, "attempt = 100");
  set(fresh, "state = 'finished', finished_at = now(), expires_at = now() + interval '7 days'");
  for (const auto* name : {"gone", "kept"}) {
    const auto upload = runtime::run_to_end(database_.loop, files_.create(name));
    runtime::run_to_end(database_.loop, upload->finish());
  }
  admin_.run(
      "INSERT INTO stored_file VALUES (1, 'gone', gen_random_uuid(), now() - interval '1 minute'), "
      "(1, 'kept', gen_random_uuid(), now() + interval '1 minute'), "
      "(1, 'never-made', gen_random_uuid(), now() - interval '1 minute')");
  work(finish, [&] { return text("SELECT count(*) FROM stored_file") == "1"; });
  EXPECT_EQ(state(expired), "expired");
  EXPECT_EQ(text("SELECT count(*) FROM job"), "3");
  EXPECT_EQ(state(hopeless), "error");
  EXPECT_EQ(state(fresh), "finished");
  EXPECT_FALSE(std::filesystem::exists(root_ / "gone"));
  EXPECT_TRUE(std::filesystem::exists(root_ / "kept"));
}

}  // namespace
}  // namespace shopbell::jobs
