#include "jobs/job_store.h"

#include "jobs/queries.h"

namespace shopbell::jobs {

Job job_of(const pg::Row& row) {
  Job job{.account = row.integer("account_id"),
          .id = row.uuid("job_id"),
          .kind = row.text("kind"),
          .type = row.text("type"),
          .state = row.text("state"),
          .attempt = row.integer("attempt"),
          .generation = row.integer("generation"),
          .done = row.integer("done"),
          .total = row.maybe_integer("total"),
          .options = row.text("options"),
          .result = row.maybe_text("result"),
          .error = row.maybe_text("error"),
          .key = std::nullopt,
          .queued_at = row.instant("queued_at"),
          .updated_at = row.instant("updated_at"),
          .started_at = row.maybe_instant("started_at"),
          .finished_at = row.maybe_instant("finished_at"),
          .expires_at = row.maybe_instant("expires_at")};
  if (row.find("key_id")) job.key = row.uuid("key_id");
  return job;
}

void read_job(pg::Group& reads, std::int64_t account, const std::string& kind, const Uuid& id) {
  reads.add(sql::get_job, account, id, kind);
}

std::optional<Job> found_job(const pg::Result& result) { return result.first().transform(job_of); }

void read_unfinished(pg::Group& reads, std::int64_t account, const std::string& kind) {
  reads.add(sql::count_unfinished_jobs, account, kind);
}

std::int64_t found_unfinished(const pg::Result& result) { return result[0].integer("jobs"); }

void lock_account(pg::Group& effect, std::int64_t account) {
  effect.add(sql::lock_account, account);
}

void add_job(pg::Group& effect, const Job& job, std::int64_t unfinished_most) {
  lock_account(effect, job.account);  // keeps concurrent writers within the limit
  effect.add(sql::require_room_for_job, job.account, job.kind, unfinished_most);
  effect.add(sql::insert_job, job.account, job.id, job.kind, job.type, job.options, job.key,
             job.queued_at);
}

void cancel_job(pg::Group& effect, const Job& job, Instant now) {
  effect.add(sql::cancel_job, job.account, job.id, job.generation, now);
  effect.add(sql::drop_files_of_job, job.account, job.id);
}

void delete_job(pg::Group& effect, const Job& job) {
  effect.add(sql::delete_job, job.account, job.id);
  effect.add(sql::drop_files_of_job, job.account, job.id);
}

boost::asio::awaitable<std::vector<Job>> list_jobs(pg::Pool& database, pg::Scope scope,
                                                   Listing listing) {
  const auto& query = listing.ascending ? sql::list_oldest_jobs : sql::list_newest_jobs;
  const pg::Result found =
      co_await database.query(scope, query, *scope.account, listing.kind, listing.after,
                              listing.state, listing.type, listing.limit);
  co_return found.map(job_of);
}

}  // namespace shopbell::jobs
