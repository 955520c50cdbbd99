#include "jobs/worker.h"

#include <algorithm>
#include <format>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/limits.h"
#include "base/problem.h"
#include "jobs/queries.h"
#include "json/writer.h"
#include "observe/log.h"

namespace shopbell::jobs {

namespace {

using observe::Level;
using runtime::Steady;

constexpr auto kUpkeepEvery = std::chrono::seconds{5};

std::string problem_json(Code code, const std::string& detail) {
  json::Writer writer;
  writer.begin_object();
  writer.key("type").text("/problems/" + kind_of(code).name);
  writer.key("title").text(kind_of(code).title);
  writer.key("status").integer(kind_of(code).status);
  writer.key("detail").text(detail);
  writer.key("code").text(kind_of(code).name);
  writer.end();
  return writer.finish();
}

void log_job(std::string_view event, const Job& job, std::int64_t rows, std::string_view why = "") {
  observe::log(Level::info, event,
               {{"job", job.id.to_string()},
                {"kind", job.kind},
                {"type", job.type},
                {"account", job.account},
                {"attempt", job.attempt},
                {"rows", rows},
                {"why", why}});
}

End failure(const Running& running, Code code, const std::string& detail, Instant now) {
  return {.state = "error",
          .result = std::nullopt,
          .error = problem_json(code, detail),
          .progress = running.progress,
          .at = now,
          .expires_at = std::nullopt};
}

}  // namespace

Worker::Worker(asio::io_context& loop, pg::Pool& database, storage::Storage& storage,
               std::vector<Kind> kinds, observe::Metrics& metrics)
    : loop_{loop},
      database_{database},
      storage_{storage},
      kinds_{std::move(kinds)},
      metrics_{metrics},
      busy_{metrics.gauge("shopbell_jobs_running", "Jobs that this process is running.")},
      wake_{loop.get_executor()} {
  for (const auto& kind : kinds_) {
    rows_done(kind.name).add(0);
    for (const auto* outcome : {"finished", "error", "interrupted"})
      ended(kind.name, outcome).add(0);
  }
}

observe::Counter& Worker::ended(const std::string& kind, const std::string& outcome) {
  return metrics_.counter("shopbell_jobs_total", "Jobs that this process has ended, by outcome.",
                          {{"kind", kind}, {"outcome", outcome}});
}

observe::Counter& Worker::rows_done(const std::string& kind) {
  return metrics_.counter("shopbell_job_rows_total", "Rows that jobs have processed.",
                          {{"kind", kind}});
}

const Kind& Worker::kind_of(const Job& job) const {
  return *std::ranges::find(kinds_, job.kind, &Kind::name);
}

asio::awaitable<void> Worker::run() {
  auto upkeep_due = Steady::now();
  bool troubled = false;
  while (!stopping_) {
    try {
      co_await take_work();
      if (Steady::now() >= upkeep_due) {
        upkeep_due = Steady::now() + kUpkeepEvery;
        co_await keep_up();
      }
      troubled = false;
    } catch (const std::exception& error) {
      if (!std::exchange(troubled, true))
        observe::log(Level::warn, "jobs wait", {{"why", error.what()}});
    }
    if (!stopping_) co_await wake_.wait_for(limits::kJobPoll);
  }
}

asio::awaitable<void> Worker::stop() {
  stopping_ = true;
  wake_.ring();
  for (const auto& running : running_) running->give_up();
  const auto until = Steady::now() + limits::kJobHandBack;
  while (!running_.empty() && Steady::now() < until)
    co_await runtime::sleep_for(std::chrono::milliseconds{10});
}

std::vector<std::string> Worker::kinds_with_room() const {
  std::vector<std::string> names;
  for (const auto& kind : kinds_) {
    const auto running = std::ranges::count_if(
        running_, [&](const auto& job) { return job->job().kind == kind.name; });
    if (std::cmp_less(running, limits::kJobsAtOnce)) names.push_back(kind.name);
  }
  return names;
}

asio::awaitable<void> Worker::take_work() {
  while (!stopping_) {
    const std::vector<std::string> names = kinds_with_room();
    if (names.empty()) co_return;
    auto job = co_await claim(database_, names);
    if (!job) co_return;
    if (stopping_) co_return co_await hand_back(database_, *job);
    const auto running = std::make_shared<Running>(loop_, database_, std::move(*job));
    running_.push_back(running);
    busy_.add(1);
    log_job("job started", running->job(), 0);
    asio::co_spawn(loop_, beat(running), asio::detached);
    asio::co_spawn(loop_, serve(running), asio::detached);
  }
}

asio::awaitable<void> Worker::serve(std::shared_ptr<Running> running) {
  std::string outcome = "interrupted";
  try {
    outcome = co_await attempt(*running);
  } catch (const std::exception& error) {  // recording the outcome failed
    observe::log(Level::warn, "job outcome was not recorded", {{"why", error.what()}});
  }
  running->over_ = true;
  running->heartbeat_pause_.ring();
  while (running->beating_) co_await runtime::sleep_for(std::chrono::milliseconds{2});
  if (outcome == "interrupted" && stopping_) {
    try {
      co_await hand_back(database_, running->job());
    } catch (const pg::Error&) {  // the job's lease expires by itself
    }
  }
  count(*running, outcome);
  std::erase(running_, running);
  wake_.ring();
}

void Worker::count(const Running& running, const std::string& outcome) {
  ended(running.job().kind, outcome).add();
  rows_done(running.job().kind).add(static_cast<double>(running.progress.done));
  log_job("job " + outcome, running.job(), running.progress.done);
  busy_.add(-1);
}

// Returns "finished", "error" or "interrupted". After an interruption another attempt follows,
// unless the job is no longer wanted.
asio::awaitable<std::string> Worker::attempt(Running& running) {
  std::optional<Done> done;
  std::optional<std::pair<Code, std::string>> fault;
  try {
    done = co_await kind_of(running.job()).run(running);
  } catch (const Unwanted&) {
    co_return "interrupted";
  } catch (const Problem& problem) {
    fault.emplace(problem.code(), problem.detail());
  } catch (const pg::Error& error) {
    if (is_fenced(error) || running.unwanted_) co_return "interrupted";
    if (error.is_outage()) {
      observe::log(Level::warn, "a job waits for the database", {{"why", error.what()}});
      co_return "interrupted";
    }
    observe::log(Level::error, "job failed",
                 {{"why", error.what()}, {"sqlstate", error.sqlstate()}});
    fault.emplace(Code::internal, "Unexpected error. The operator's log has the details.");
  } catch (const storage::Error& error) {  // the storage may be available at the next attempt
    observe::log(Level::warn, "a job waits for the storage", {{"why", error.what()}});
    co_return "interrupted";
  } catch (const std::exception& error) {
    if (running.unwanted_) co_return "interrupted";
    observe::log(Level::error, "job failed", {{"why", error.what()}});
    fault.emplace(Code::internal, "Unexpected error. The operator's log has the details.");
  }
  if (fault) {
    const Instant now = co_await read_time(database_);
    co_return co_await end_as(running, failure(running, fault->first, fault->second, now), {});
  }
  co_return co_await end_as(running,
                            {.state = "finished",
                             .result = done->result,
                             .error = std::nullopt,
                             .progress = running.progress,
                             .at = done->at,
                             .expires_at = done->expires_at},
                            std::move(done->effect));
}

asio::awaitable<std::string> Worker::end_as(Running& running, End end, pg::Group effect) {
  pg::Group group;
  jobs::end(group, running.job(), end);
  group.append(std::move(effect));
  bool fenced = false;
  try {
    co_await database_.run(std::move(group), {});
  } catch (const pg::Error& error) {
    if (!is_fenced(error)) throw;  // after a lost commit the next owner finds the outcome
    fenced = true;
  }
  if (!fenced) co_return end.state;
  co_await kind_of(running.job()).take_back(running.job());
  co_return "interrupted";
}

asio::awaitable<void> Worker::beat(std::shared_ptr<Running> held) {
  Running& running = *held;
  while (!running.over_ && !running.unwanted_) {
    try {
      pg::Group group;
      hold(group, running.job(), running.progress);
      co_await database_.run(std::move(group), {.deadline = Steady::now() + limits::kJobLease});
    } catch (const pg::Error& error) {
      if (is_fenced(error) && !running.over_) running.give_up();
    }
    if (!running.over_ && !running.unwanted_)
      co_await running.heartbeat_pause_.wait_for(limits::kJobHeartbeat);
  }
  running.beating_ = false;
}

asio::awaitable<void> Worker::keep_up() {
  const std::string hopeless = problem_json(
      Code::internal,
      std::format("The job was started {} times and never completed.", limits::kJobAttempts));
  const auto kept = std::chrono::seconds{limits::kJobsKept};
  for (const auto& kind : kinds_)
    if (kind.keep_up) co_await kind.keep_up();
  co_await database_.query({}, sql::expire_jobs, limits::kUpkeepBatch);
  co_await database_.query({}, sql::delete_old_jobs, limits::kUpkeepBatch, kept.count());
  co_await database_.query({}, sql::end_hopeless_jobs, limits::kUpkeepBatch, limits::kJobAttempts,
                           hopeless);
  co_await remove_files();
}

asio::awaitable<void> Worker::remove_files() {
  const pg::Result due = co_await database_.query({}, sql::list_due_files, limits::kUpkeepBatch,
                                                  2 * limits::kJobLease.count());
  for (std::size_t i = 0; i < due.size(); ++i) {
    co_await storage_.remove(due[i].text("name"));
    co_await database_.query({}, sql::delete_stored_file, due[i].integer("account_id"),
                             due[i].text("name"));
  }
}

}  // namespace shopbell::jobs
