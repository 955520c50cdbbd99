// Lease: a process holds a job for a few seconds, and renews the lease with every heartbeat. When
// the heartbeats stop, the next process claims the job, with the next generation. Every effect of a
// job is in one group with hold(), which raises if the job was taken over, cancelled or deleted: a
// stale worker can do no harm. All of this runs as the worker role.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "jobs/job.h"
#include "pg/group.h"
#include "pg/pool.h"

namespace shopbell::jobs {

// Claims the next job of these kinds that no process holds: the oldest of the account with the
// fewest running jobs.
boost::asio::awaitable<std::optional<Job>> claim(pg::Pool& database,
                                                 std::vector<std::string> kinds);

struct Progress {
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
};

// Add this to every group of effects, so that progress is committed together with the work.
// `result` (JSON, specific to the kind) is a checkpoint from which the next attempt continues.
void hold(pg::Group& effect, const Job& job, const Progress& progress,
          const std::optional<std::string>& result = std::nullopt);
// True if the fence in hold(), or in a function below, refused the group.
bool is_fenced(const pg::Error& error);

struct End {
  std::string state;  // "finished" or "error"
  std::optional<std::string> result;
  std::optional<std::string> error;
  Progress progress;
  Instant at;
  std::optional<Instant> expires_at;
};
// Ends the job; raises as hold() does.
void end(pg::Group& effect, const Job& job, const End& end);

// Records a file before its first byte is stored, and the time after which it is removed at the
// latest.
boost::asio::awaitable<void> keep_file(pg::Pool& database, Job job, Progress progress,
                                       std::string name, std::chrono::seconds at_most);

// Returns the job to the queue at once, without waiting for the lease to expire.
boost::asio::awaitable<void> hand_back(pg::Pool& database, Job job);

boost::asio::awaitable<Instant> read_time(pg::Pool& database);

}  // namespace shopbell::jobs
