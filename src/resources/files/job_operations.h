// The operations that exports and imports share: list, get, delete and cancel a background job. A
// slice provides its differences in a struct:
//
//   struct Slice {
//     using Made = …;                             the job in its API form
//     static constexpr const char* kKind;         the kind of its jobs
//     static constexpr const char* kMissing;      "There is no export of that id."
//     static const json::Table<Made>& table();
//     static Made shown(const operations::Input&, const jobs::Job&);
//     static void leave_out(Made&);               clears links and live progress values
//   };
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/problem.h"
#include "jobs/job_store.h"
#include "operations/output.h"
#include "operations/page.h"
#include "operations/write.h"

namespace shopbell::files {

using Answer = boost::asio::awaitable<operations::Output>;

// The ETag is a hash of the body without links and times.
template <typename Slice>
operations::Output answer_of(const typename Slice::Made& made,
                             const json::Reading& reading = json::Reading{}) {
  auto timeless = made;
  Slice::leave_out(timeless);
  timeless.created_at = timeless.updated_at = {};
  timeless.started_at = timeless.finished_at = timeless.expires_at = std::nullopt;
  const std::string hash = to_hex(sha256(Slice::table().to_json(timeless))).substr(0, 32);
  return operations::resource_output(Slice::table(), made, '"' + hash + '"', reading);
}

// Finds a job by the id in the path. A malformed id becomes the nil id, which no job has.
template <typename Slice>
pg::Group read_named(const operations::Input& input) {
  pg::Group reads;
  jobs::read_job(reads, input.account(), Slice::kKind,
                 Uuid::parse(input.path("id")).value_or(Uuid{}));
  return reads;
}

template <typename Slice>
jobs::Job existing(const pg::Result& result) {
  std::optional<jobs::Job> found = jobs::found_job(result);
  if (!found) throw Problem{Code::not_found, Slice::kMissing};
  return std::move(*found);
}

template <typename Slice>
Answer list(operations::Input input) {
  using Made = typename Slice::Made;
  const operations::PageRequest request = operations::read_page_request(input);
  const auto text = [](std::string_view value) { return std::string{value}; };
  const auto found = co_await jobs::list_jobs(input.database(), input.scope(),
                                              {.kind = Slice::kKind,
                                               .after = request.after,
                                               .ascending = request.ascending,
                                               .limit = request.limit + 1,
                                               .state = input.parameter("status").transform(text),
                                               .type = input.parameter("type").transform(text)});
  std::vector<Made> made;
  made.reserve(found.size());
  for (const auto& job : found) made.push_back(Slice::shown(input, job));
  co_return operations::page_output<Made>(input, request, Slice::table(), made,
                                          [](const Made& one) { return one.id.to_string(); });
}

template <typename Slice>
Answer get(operations::Input input) {
  const pg::Results found = co_await input.database().run(read_named<Slice>(input), input.scope());
  co_return answer_of<Slice>(Slice::shown(input, existing<Slice>(found[0])));
}

template <typename Slice>
Answer remove(operations::Input input) {
  co_return co_await operations::write(
      input, read_named<Slice>(input), [](const operations::Premises& premises, pg::Group& effect) {
        jobs::delete_job(effect, existing<Slice>(premises.results[0]));
        return operations::Output::no_content();
      });
}

template <typename Slice>
Answer cancel(operations::Input input) {
  co_return co_await operations::write(
      input, read_named<Slice>(input),
      [input](const operations::Premises& premises, pg::Group& effect) {
        jobs::Job job = existing<Slice>(premises.results[0]);
        if (job.is_unfinished()) {  // a finished job keeps its state
          jobs::cancel_job(effect, job, premises.now);
          job.state = "cancelled";
          job.finished_at = job.updated_at = premises.now;
        }
        return answer_of<Slice>(Slice::shown(input, job));
      });
}

// Returns the filters of the list of jobs.
inline std::vector<operations::QueryParameter> list_filters(std::vector<std::string> types) {
  return {{"status",
           "Only jobs with this status.",
           {.type = "string",
            .options = {"queued", "inProgress", "finished", "error", "cancelled", "expired"}}},
          {"type", "Only jobs of this type.", {.type = "string", .options = std::move(types)}}};
}

}  // namespace shopbell::files
