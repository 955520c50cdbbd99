#include "http/write.h"

#include "base/limits.h"
#include "base/random.h"
#include "http/idempotency.h"
#include "http/queries.h"
#include "runtime/wait.h"

namespace shopbell::http {

namespace {

using Claimed = std::optional<Claim>;

void refuse_if_running(const pg::Error& error) {
  if (!error.is_lock_timeout() || error.query() != sql::insert_claim.name) return;
  throw Problem{Code::idempotency_in_progress,
                "The first request with this Idempotency-Key is not finished."}
      .with_header("Retry-After", "1");
}

// The claim is looked for last: each statement sees what was committed before it, so whoever sees
// the effect of an earlier request also sees its claim.
void read_claim(pg::Group& reads, const Call& call, const std::vector<Sha256>& hashes) {
  if (hashes.empty()) {
    reads.add(sql::find_claim, call.account(), std::nullopt);
  } else if (hashes.size() == 1) {
    reads.add(sql::find_claim, call.account(), std::span<const std::uint8_t>{hashes.front()});
  } else {
    reads.add(sql::find_claim_of_any, call.account(), hashes);
  }
}

pg::Group asked(const Call& call, const pg::Group& reads, const Claimed& claim) {
  pg::Group group = reads;
  read_claim(group, call, claim ? claim->hashes() : std::vector<Sha256>{});
  return group;
}

struct Decision {
  Response response;
  pg::Group effect;  // empty: there is nothing to do
};

Decision decision_on(const pg::Results& found, const Claimed& claim, const Decide& decide) {
  const pg::Row last = found.back()[0];
  if (claim) {
    if (auto answered = claim->find_answer(last)) return {std::move(*answered), {}};
  }
  pg::Group effect;
  Response response =
      decide({std::span{found}.first(found.size() - 1), last.instant("now")}, effect);
  pg::Group group;
  if (claim) claim->add_to(group, response);
  group.append(std::move(effect));
  return {std::move(response), std::move(group)};
}

boost::asio::awaitable<Response> write_shared(const Call& call, const pg::Group& reads,
                                              const Claimed& claim, const Decide& decide) {
  const pg::Results found = co_await call.database().run(asked(call, reads, claim), call.scope());
  Decision decision = decision_on(found, claim, decide);
  if (!decision.effect.empty())
    co_await call.database().commit(std::move(decision.effect), call.scope());
  co_return std::move(decision.response);
}

boost::asio::awaitable<Response> write_within(pg::Transaction& transaction, const Call& call,
                                              const pg::Group& reads, const Claimed& claim,
                                              const Decide& decide, const pg::Group& locks) {
  co_await transaction.run(locks);
  const pg::Results found = co_await transaction.run(asked(call, reads, claim));
  Decision decision = decision_on(found, claim, decide);
  if (!decision.effect.empty()) co_await transaction.run(std::move(decision.effect));
  co_return std::move(decision.response);
}

boost::asio::awaitable<Response> write_locked(const Call& call, const pg::Group& reads,
                                              const Claimed& claim, const Decide& decide,
                                              const pg::Group& locks) {
  co_return co_await call.database().transaction(call.scope(), [&](pg::Transaction& transaction) {
    return write_within(transaction, call, reads, claim, decide, locks);
  });
}

// The others of the whole have written already, and nobody sees it yet: it waits in line for what
// it is about, and being overtaken ends the whole, which begins again.
boost::asio::awaitable<Response> write_part(const Call& call, const pg::Group& reads,
                                            const Decide& decide, pg::Group locks) {
  Whole& whole = *call.whole();
  const std::size_t before = locks.statements().size();
  pg::Results found =
      co_await whole.transaction->run(std::move(locks.append(asked(call, reads, {}))));
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before));
  Decision decision = decision_on(found, {}, decide);
  whole.wrote = !decision.effect.empty();
  if (whole.wrote) co_await whole.transaction->run(std::move(decision.effect));
  co_return std::move(decision.response);
}

}  // namespace

boost::asio::awaitable<bool> was_answered(Call call) {
  const auto hashes = claim_hashes(call);
  if (hashes.empty()) co_return false;
  pg::Group reads;
  read_claim(reads, call, hashes);
  const pg::Results found = co_await call.database().run(std::move(reads), call.scope());
  co_return found.front()[0].find("key_hash").has_value();
}

boost::asio::awaitable<Response> write(Call call, pg::Group reads, Decide decide, pg::Group locks,
                                       Keep keep) {
  if (call.whole() != nullptr) co_return co_await write_part(call, reads, decide, std::move(locks));
  const auto claim = keep == Keep::answer ? Claim::of(call) : std::nullopt;
  for (int attempt = 1;; ++attempt) {
    const bool in_line = attempt > 1 && !locks.empty();
    try {
      if (in_line) co_return co_await write_locked(call, reads, claim, decide, locks);
      co_return co_await write_shared(call, reads, claim, decide);
    } catch (const pg::Error& error) {
      if (!error.is_overtaken()) throw;
      if (!in_line) refuse_if_running(error);
      // Something refers to what was to go, and that stays so: the operation knows what it is.
      if (attempt == limits::kWriteAttempts && error.sqlstate() == "23503") throw;
      if (attempt == limits::kWriteAttempts)
        throw Problem{Code::unavailable, "Too many others change the same object right now."}
            .with_header("Retry-After", "1");
    }
    co_await runtime::sleep_for(std::chrono::duration_cast<runtime::Steady::duration>(
        limits::kWritePause * jitter() * attempt));
  }
}

}  // namespace shopbell::http
