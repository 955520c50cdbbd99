#include "resources/imports/import_queue.h"

#include <format>

#include "base/limits.h"
#include "base/problem.h"
#include "jobs/job_store.h"
#include "resources/imports/import_json.h"

namespace shopbell::imports {

Problem too_many(std::int64_t unfinished) {
  return Problem{
      Code::import_queue_full,
      std::format("{} imports are unfinished, which is the limit. Retry when one has ended.",
                  unfinished)}
      .with_header("Retry-After", "5");
}

void refuse_more(std::int64_t unfinished) {
  if (unfinished >= limits::kImportsUnfinished) throw too_many(unfinished);
}

void read_premises(pg::Group& reads, std::int64_t account, const Import& request) {
  jobs::read_unfinished(reads, account, kJobKind);
  read_names(reads, account, request);
}

Import resolved(json::Reading& reading, Import request, std::span<const pg::Result> found) {
  resolve_names(reading, request, found.subspan(1));
  return request;
}

jobs::Job add_import(pg::Group& effect, const Import& request, const FileIntake& intake,
                     std::int64_t account, std::optional<Uuid> key, Instant now,
                     std::span<const pg::Result> found) {
  refuse_more(jobs::found_unfinished(found[0]));
  jobs::Job job;
  job.account = account;
  job.id = Uuid::v7(now);
  job.kind = kJobKind;
  job.type = request.type;
  job.options = options_of(request);
  job.key = key;
  job.queued_at = job.updated_at = now;
  intake.adopt(effect, job.id);
  jobs::add_job(effect, job, limits::kImportsUnfinished);
  return job;
}

}  // namespace shopbell::imports
