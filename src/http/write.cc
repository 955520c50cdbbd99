#include "http/write.h"

#include "base/limits.h"
#include "base/random.h"
#include "http/idempotency.h"
#include "http_queries.h"
#include "runtime/wait.h"

namespace shopbell::http {

namespace {

// Sends the group; what it was refused for, when trying again may help.
boost::asio::awaitable<std::optional<pg::Error>> commit(Call call, pg::Group group) {
  try {
    co_await call.database().run(std::move(group), call.scope());
    co_return std::nullopt;
  } catch (const pg::Error& error) {
    if (!error.is_overtaken()) throw;
    co_return error;
  }
}

void refuse_if_running(const pg::Error& error) {
  if (!error.is_lock_timeout() || error.query() != sql::insert_claim.name) return;
  throw Problem{Code::idempotency_in_progress,
                "The first request with this Idempotency-Key is not finished."}
      .with_header("Retry-After", "1");
}

}  // namespace

boost::asio::awaitable<Response> write(Call call, pg::Group reads, Decide decide) {
  const auto claim = Claim::of(call);
  for (int attempt = 1;; ++attempt) {
    // The claim is looked for last: each statement sees what was committed before it, so whoever
    // sees the effect of an earlier request also sees its claim.
    pg::Group asked = reads;
    asked.add(sql::find_claim, call.account(), claim ? claim->hashes() : std::vector<Sha256>{});
    const pg::Results found = co_await call.database().run(std::move(asked), call.scope());
    const pg::Row last = found.back()[0];
    const Instant now = last.instant("now");
    if (claim) {
      if (auto answered = claim->find_answer(last)) co_return std::move(*answered);
    }
    pg::Group effect;
    Response response = decide({std::span{found}.first(found.size() - 1), now}, effect);
    pg::Group group;
    if (claim) claim->add_to(group, response);
    group.append(std::move(effect));
    if (group.empty()) co_return response;
    const auto refused = co_await commit(call, std::move(group));
    if (!refused) co_return response;
    refuse_if_running(*refused);
    if (attempt == limits::kWriteAttempts) throw *refused;
    co_await runtime::sleep_for(std::chrono::duration_cast<runtime::Steady::duration>(
        limits::kWritePause * jitter() * attempt));
  }
}

}  // namespace shopbell::http
