// What is the same of everything that is made in the background and looked at by its id, as exports
// and imports are: to list, get, delete and cancel it. A slice says by a struct what is its own:
//
//   struct Slice {
//     using Made = …;                             what the API shows of a job
//     static constexpr const char* kKind;         of its jobs
//     static constexpr const char* kMissing;      "There is no export of that id."
//     static const json::Table<Made>& table();
//     static Made shown(const http::Call&, const jobs::Job&);
//     static void leave_out(Made&);               links, and whatever changes on its own
//   };
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/problem.h"
#include "http/answer.h"
#include "http/page.h"
#include "http/write.h"
#include "jobs/job_store.h"

namespace shopbell::files {

using Answer = boost::asio::awaitable<http::Response>;

// The tag is a hash of what the body says without links and times.
template <typename Slice>
http::Response answer_of(const typename Slice::Made& made,
                         const json::Reading& reading = json::Reading{}) {
  auto timeless = made;
  Slice::leave_out(timeless);
  timeless.created_at = timeless.updated_at = {};
  timeless.started_at = timeless.finished_at = timeless.expires_at = std::nullopt;
  const std::string hash = to_hex(sha256(Slice::table().to_json(timeless))).substr(0, 32);
  return http::resource_answer(Slice::table(), made, '"' + hash + '"', reading);
}

// A malformed id is one that does not exist.
template <typename Slice>
pg::Group read_named(const http::Call& call) {
  pg::Group reads;
  jobs::read_job(reads, call.account(), Slice::kKind,
                 Uuid::parse(call.path("id")).value_or(Uuid{}));
  return reads;
}

template <typename Slice>
jobs::Job existing(const pg::Result& result) {
  std::optional<jobs::Job> found = jobs::found_job(result);
  if (!found) throw Problem{Code::not_found, Slice::kMissing};
  return std::move(*found);
}

template <typename Slice>
Answer list(http::Call call) {
  using Made = typename Slice::Made;
  const http::PageWish wish = http::read_page_wish(call);
  const auto text = [](std::string_view value) { return std::string{value}; };
  const auto found = co_await jobs::list_jobs(call.database(), call.scope(),
                                              {.kind = Slice::kKind,
                                               .after = wish.after,
                                               .ascending = wish.ascending,
                                               .limit = wish.limit + 1,
                                               .state = call.parameter("status").transform(text),
                                               .type = call.parameter("type").transform(text)});
  std::vector<Made> made;
  made.reserve(found.size());
  for (const auto& job : found) made.push_back(Slice::shown(call, job));
  co_return http::page_answer<Made>(call, wish, Slice::table(), made,
                                    [](const Made& one) { return one.id.to_string(); });
}

template <typename Slice>
Answer get(http::Call call) {
  const pg::Results found = co_await call.database().run(read_named<Slice>(call), call.scope());
  co_return answer_of<Slice>(Slice::shown(call, existing<Slice>(found[0])));
}

template <typename Slice>
Answer remove(http::Call call) {
  co_return co_await http::write(call, read_named<Slice>(call),
                                 [](const http::Premises& premises, pg::Group& effect) {
                                   jobs::delete_job(effect, existing<Slice>(premises.results[0]));
                                   return http::Response{.status = 204};
                                 });
}

template <typename Slice>
Answer cancel(http::Call call) {
  co_return co_await http::write(call, read_named<Slice>(call),
                                 [call](const http::Premises& premises, pg::Group& effect) {
                                   jobs::Job job = existing<Slice>(premises.results[0]);
                                   if (job.is_unfinished()) {  // else it stays as it ended
                                     jobs::cancel_job(effect, job, premises.now);
                                     job.state = "cancelled";
                                     job.finished_at = job.updated_at = premises.now;
                                   }
                                   return answer_of<Slice>(Slice::shown(call, job));
                                 });
}

// The parameters of the list.
inline std::vector<http::QueryParameter> list_parameters(std::vector<std::string> types) {
  return http::page_parameters(
      {{"status",
        "What has become of them.",
        {.type = "string",
         .options = {"queued", "inProgress", "finished", "error", "cancelled", "expired"}}},
       {"type", "What of.", {.type = "string", .options = std::move(types)}}});
}

}  // namespace shopbell::files
