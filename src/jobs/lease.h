// Lease: how a process holds a job. It takes it for a few seconds, and again with every heartbeat;
// when the heartbeats stop, the next process takes it, with the next generation. Every effect of a
// job stands in one group with hold(), which raises when the job has changed hands, was cancelled
// or deleted: so a worker that only seemed dead can do no harm. All for the worker's role.
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

// The next job of these kinds that nobody holds: the oldest of the account with the fewest under
// way.
boost::asio::awaitable<std::optional<Job>> claim(pg::Pool& database,
                                                 std::vector<std::string> kinds);

struct Progress {
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
};

// In every group that does something for the job: its progress is committed together with the work
// it counts. With what it has come to (JSON of the kind's own), where the next attempt goes on.
void hold(pg::Group& effect, const Job& job, const Progress& progress,
          const std::optional<std::string>& result = std::nullopt);
// Whether it was hold(), or one of those below, that refused a group.
bool is_fenced(const pg::Error& error);

struct End {
  std::string state;  // finished, error
  std::optional<std::string> result;
  std::optional<std::string> error;
  Progress progress;
  Instant at;
  std::optional<Instant> expires_at;
};
// The last thing that happens to the job; raises as hold() does.
void end(pg::Group& effect, const Job& job, const End& end);

// Writes down a file before its first byte is stored, and how long after that it goes at the
// latest.
boost::asio::awaitable<void> keep_file(pg::Pool& database, Job job, Progress progress,
                                       std::string name, std::chrono::seconds at_most);

// For others to take, at once.
boost::asio::awaitable<void> hand_back(pg::Pool& database, Job job);

boost::asio::awaitable<Instant> read_time(pg::Pool& database);

}  // namespace shopbell::jobs
