#include "jobs/lease.h"

#include "base/limits.h"
#include "jobs/job_store.h"
#include "jobs/queries.h"

namespace shopbell::jobs {

namespace {

std::string seconds_of(std::chrono::seconds duration) { return std::to_string(duration.count()); }

}  // namespace

boost::asio::awaitable<std::optional<Job>> claim(pg::Pool& database,
                                                 std::vector<std::string> kinds) {
  const pg::Result found = co_await database.query(
      {}, sql::claim_job, kinds, seconds_of(limits::kJobLease), limits::kJobAttempts);
  co_return found.first().transform(job_of);
}

void hold(pg::Group& effect, const Job& job, const Progress& progress,
          const std::optional<std::string>& result) {
  effect.add(sql::hold_job, job.account, job.id, job.generation, progress.done, progress.total,
             seconds_of(limits::kJobLease), result);
}

bool is_fenced(const pg::Error& error) { return error.sqlstate() == "SB002"; }

void end(pg::Group& effect, const Job& job, const End& end) {
  effect.add(sql::end_job, job.account, job.id, job.generation, end.state, end.result, end.error,
             end.progress.done, end.progress.total, end.at, end.expires_at);
}

boost::asio::awaitable<void> keep_file(pg::Pool& database, Job job, Progress progress,
                                       std::string name, std::chrono::seconds at_most) {
  pg::Group effect;
  hold(effect, job, progress);
  effect.add(sql::insert_stored_file, job.account, name, job.id, seconds_of(at_most));
  co_await database.run(std::move(effect), {});
}

boost::asio::awaitable<void> hand_back(pg::Pool& database, Job job) {
  co_await database.query({}, sql::return_job, job.account, job.id, job.generation);
}

boost::asio::awaitable<Instant> read_time(pg::Pool& database) {
  const pg::Result found = co_await database.query({}, sql::get_time);
  co_return found[0].instant("now");
}

}  // namespace shopbell::jobs
