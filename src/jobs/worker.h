// Worker: runs a few jobs of each kind at once, on a loop of its own, so that long jobs of one kind
// do not delay those of another. It claims jobs that no process holds. With
// each heartbeat, twice a second, it stores progress and checks for cancellation. On shutdown it
// returns unfinished jobs to the queue.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "jobs/job.h"
#include "jobs/lease.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "runtime/wait.h"
#include "storage/storage.h"

namespace shopbell::jobs {

namespace asio = boost::asio;

// Thrown when the running job is no longer wanted: cancelled, deleted, taken over, or the process
// is shutting down.
struct Unwanted {};

// A running job, as the function of its kind sees it.
class Running {
 public:
  Running(asio::io_context& loop, pg::Pool& database, Job job)
      : loop_{loop},
        database_{database},
        job_{std::move(job)},
        heartbeat_pause_{loop.get_executor()} {}

  const Job& job() const { return job_; }
  asio::io_context& loop() const { return loop_; }
  pg::Pool& database() const { return database_; }

  Progress progress;  // stored with the next heartbeat

  // Throws Unwanted if the job should stop.
  void check() const {
    if (unwanted_) throw Unwanted{};
  }
  // `interrupt` is called at most once, when the job becomes unwanted; it ends the job's current
  // wait.
  void when_unwanted(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

 private:
  friend class Worker;
  void give_up() {
    if (std::exchange(unwanted_, true)) return;
    heartbeat_pause_.ring();
    if (interrupt_) interrupt_();
  }

  asio::io_context& loop_;
  pg::Pool& database_;
  const Job job_;
  runtime::Bell heartbeat_pause_;  // ends the pause before the next heartbeat
  std::function<void()> interrupt_;
  bool unwanted_ = false;
  bool over_ = false;    // no more heartbeats are needed
  bool beating_ = true;  // true until the last heartbeat was answered
};

// The result of a job, and the changes that are committed together with its end.
struct Done {
  std::string result;  // JSON, specific to the kind
  std::optional<Instant> expires_at;
  Instant at;
  pg::Group effect;
};

struct Kind {
  std::string name;
  // Throws Problem if the job cannot succeed, or Unwanted. After an outage of the database or the
  // storage the job is retried later; any other exception ends the job as an error.
  std::function<asio::awaitable<Done>(Running&)> run;
  // Called when the job's end was fenced: removes what run() left outside the database.
  std::function<asio::awaitable<void>(const Job&)> take_back;
  // Called periodically, by every process; may be empty.
  std::function<asio::awaitable<void>()> keep_up = {};
};

class Worker {
 public:
  Worker(asio::io_context& loop, pg::Pool& database, storage::Storage& storage,
         std::vector<Kind> kinds, observe::Metrics& metrics);

  // Runs until stop().
  asio::awaitable<void> run();
  // Returns running jobs to the queue. Completes when none is left, after limits::kJobHandBack at
  // the latest.
  asio::awaitable<void> stop();

 private:
  // Returns the kinds that have fewer than limits::kJobsAtOnce running jobs.
  std::vector<std::string> kinds_with_room() const;
  asio::awaitable<void> take_work();
  asio::awaitable<void> serve(std::shared_ptr<Running> running);
  asio::awaitable<std::string> attempt(Running& running);
  asio::awaitable<std::string> end_as(Running& running, End end, pg::Group effect);
  asio::awaitable<void> beat(std::shared_ptr<Running> held);
  observe::Counter& ended(const std::string& kind, const std::string& outcome);
  observe::Counter& rows_done(const std::string& kind);
  void count(const Running& running, const std::string& outcome);
  asio::awaitable<void> keep_up();
  asio::awaitable<void> remove_files();
  const Kind& kind_of(const Job& job) const;

  asio::io_context& loop_;
  pg::Pool& database_;
  storage::Storage& storage_;
  const std::vector<Kind> kinds_;
  observe::Metrics& metrics_;
  observe::Gauge& busy_;
  std::vector<std::shared_ptr<Running>> running_;
  runtime::Bell wake_;
  bool stopping_ = false;
};

}  // namespace shopbell::jobs
