#include "resources/files/job_ending.h"

#include "events/event.h"

namespace shopbell::files {

jobs::Job finished(const jobs::Job& job, const jobs::Done& done, std::int64_t rows) {
  jobs::Job ended = job;
  ended.state = "finished";
  ended.done = rows;
  ended.total = rows;
  ended.result = done.result;
  ended.updated_at = done.at;
  ended.finished_at = done.at;
  ended.expires_at = done.expires_at;
  return ended;
}

void tell_finished(jobs::Done& done, const jobs::Job& job, std::string payload) {
  events::append(done.effect, job.account,
                 {.uid = Uuid::v7(done.at),
                  .lane = events::lane_of(job.account, job.id),
                  .contact_id = std::nullopt,
                  .contact_seq = std::nullopt,
                  .subject = job.id.to_string(),
                  .kind = job.kind + ".finished",
                  .occurred_at = done.at,
                  .cause_uid = std::nullopt,
                  .source = "service",
                  .trace = std::nullopt,
                  .payload = std::move(payload)});
}

}  // namespace shopbell::files
