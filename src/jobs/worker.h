// Worker: does jobs, a few at once, on a loop of its own. It takes what nobody holds, tells of its
// progress and listens for cancelling twice a second, and when the process is to stop it hands back
// what it has not finished.
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

// The job under way is not wanted any more: cancelled, deleted, taken by another, or the process
// stops.
struct Unwanted {};

// A job under way, as its kind's function sees it.
class Running {
 public:
  Running(asio::io_context& loop, pg::Pool& database, Job job)
      : loop_{loop}, database_{database}, job_{std::move(job)}, hush_{loop.get_executor()} {}

  const Job& job() const { return job_; }
  asio::io_context& loop() const { return loop_; }
  pg::Pool& database() const { return database_; }

  Progress progress;  // told with the next heartbeat

  // Throws Unwanted when there is no use in going on.
  void check() const {
    if (unwanted_) throw Unwanted{};
  }
  // Called at most once, when it becomes unwanted: ends what the job waits for. Empty: nothing.
  void when_unwanted(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

 private:
  friend class Worker;
  void give_up() {
    if (std::exchange(unwanted_, true)) return;
    hush_.ring();
    if (interrupt_) interrupt_();
  }

  asio::io_context& loop_;
  pg::Pool& database_;
  const Job job_;
  runtime::Bell hush_;  // ends the pause before the next heartbeat
  std::function<void()> interrupt_;
  bool unwanted_ = false;
  bool over_ = false;    // there is nothing left to tell
  bool beating_ = true;  // until the last heartbeat was answered
};

// How a job ended, and what happens in the transaction in which it does.
struct Done {
  std::string result;  // JSON of the kind's own
  std::optional<Instant> expires_at;
  Instant at;
  pg::Group effect;
};

struct Kind {
  std::string name;
  // Throws a Problem for what the job cannot get past, Unwanted, or whatever else went wrong: an
  // outage of the database makes it start again later, anything else ends it as an error.
  std::function<asio::awaitable<Done>(Running&)> run;
  // Called when the end could not be written down: takes back what run() left outside.
  std::function<asio::awaitable<void>(const Job&)> take_back;
  // Called now and then, by every process; may be empty.
  std::function<asio::awaitable<void>()> keep_up = {};
};

class Worker {
 public:
  Worker(asio::io_context& loop, pg::Pool& database, storage::Storage& storage,
         std::vector<Kind> kinds, observe::Metrics& metrics);

  // Until stop().
  asio::awaitable<void> run();
  // Hands back what is under way; returns when nothing is, after limits::kJobHandBack at the
  // latest.
  asio::awaitable<void> stop();

 private:
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
