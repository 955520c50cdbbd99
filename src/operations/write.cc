#include "operations/write.h"

#include "base/limits.h"
#include "operations/audit.h"
#include "operations/idempotency.h"
#include "operations/queries.h"
#include "operations/retry.h"

namespace shopbell::operations {

namespace {

using Claimed = std::optional<Claim>;

void refuse_if_running(const pg::Error& error) {
  if (!error.is_lock_timeout() || error.query() != sql::insert_claim.name) return;
  throw Problem{Code::idempotency_in_progress,
                "The first request with this Idempotency-Key is still running."}
      .with_header("Retry-After", "1");
}

// Reads the claim last. Each statement sees what was committed before it, so a reader that sees the
// effect of an earlier request also sees that request's claim.
void read_claim(pg::Group& reads, const Input& input, const std::vector<Sha256>& hashes) {
  if (hashes.empty()) {
    reads.add(sql::find_claim, input.account(), std::nullopt);
  } else if (hashes.size() == 1) {
    reads.add(sql::find_claim, input.account(), std::span<const std::uint8_t>{hashes.front()});
  } else {
    reads.add(sql::find_claim_of_any, input.account(), hashes);
  }
}

pg::Group with_claim(const Input& input, const pg::Group& reads, const Claimed& claim) {
  pg::Group group = reads;
  read_claim(group, input, claim ? claim->hashes() : std::vector<Sha256>{});
  return group;
}

struct Decision {
  Output output;
  pg::Group effect;  // empty: nothing to write
};

Decision decision_on(const Input& input, const pg::Results& found, const Claimed& claim,
                     const Decide& decide) {
  const pg::Row last = found.back()[0];
  if (claim) {
    if (auto answered = claim->find_answer(last)) return {std::move(*answered), {}};
  }
  pg::Group effect;
  const Instant now = last.instant("now");
  Output output = decide({std::span{found}.first(found.size() - 1), now}, effect);
  if (!effect.empty() && is_audited(input.operation(), input.caller()))
    add_audit_row(effect, audit_row_of(input, output), now);
  pg::Group group;
  if (claim) claim->add_to(group, output);
  group.append(std::move(effect));
  return {std::move(output), std::move(group)};
}

boost::asio::awaitable<Output> write_shared(const Input& input, const pg::Group& reads,
                                            const Claimed& claim, const Decide& decide) {
  const pg::Results found =
      co_await input.database().run(with_claim(input, reads, claim), input.scope());
  Decision decision = decision_on(input, found, claim, decide);
  if (!decision.effect.empty())
    co_await input.database().commit(std::move(decision.effect), input.scope());
  co_return std::move(decision.output);
}

boost::asio::awaitable<Output> write_within(pg::Transaction& transaction, const Input& input,
                                            const pg::Group& reads, const Claimed& claim,
                                            const Decide& decide, const pg::Group& locks) {
  co_await transaction.run(locks);
  const pg::Results found = co_await transaction.run(with_claim(input, reads, claim));
  Decision decision = decision_on(input, found, claim, decide);
  if (!decision.effect.empty()) co_await transaction.run(std::move(decision.effect));
  co_return std::move(decision.output);
}

boost::asio::awaitable<Output> write_locked(const Input& input, const pg::Group& reads,
                                            const Claimed& claim, const Decide& decide,
                                            const pg::Group& locks) {
  co_return co_await input.database().transaction(input.scope(), [&](pg::Transaction& transaction) {
    return write_within(transaction, input, reads, claim, decide, locks);
  });
}

// Writes inside the caller's transaction. It takes the locks at once, because earlier parts of the
// transaction have written already. Losing a race rolls back the whole transaction, which the
// caller retries.
boost::asio::awaitable<Output> write_part(const Input& input, const pg::Group& reads,
                                          const Decide& decide, pg::Group locks) {
  OuterTransaction& outer = *input.outer();
  const std::size_t before = locks.statements().size();
  pg::Results found =
      co_await outer.transaction->run(std::move(locks.append(with_claim(input, reads, {}))));
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(before));
  Decision decision = decision_on(input, found, {}, decide);
  outer.wrote = !decision.effect.empty();
  if (outer.wrote) co_await outer.transaction->run(std::move(decision.effect));
  co_return std::move(decision.output);
}

}  // namespace

boost::asio::awaitable<bool> was_answered(Input input) {
  const auto hashes = claim_hashes(input);
  if (hashes.empty()) co_return false;
  pg::Group reads;
  read_claim(reads, input, hashes);
  const pg::Results found = co_await input.database().run(std::move(reads), input.scope());
  co_return found.front()[0].find("key_hash").has_value();
}

boost::asio::awaitable<Output> write(Input input, pg::Group reads, Decide decide, pg::Group locks,
                                     Keep keep) {
  if (input.outer() != nullptr)
    co_return co_await write_part(input, reads, decide, std::move(locks));
  const auto claim = keep == Keep::output ? Claim::of(input) : std::nullopt;
  for (int attempt = 1;; ++attempt) {
    const bool locked = attempt > 1 && !locks.empty();
    try {
      if (locked) co_return co_await write_locked(input, reads, claim, decide, locks);
      co_return co_await write_shared(input, reads, claim, decide);
    } catch (const pg::Error& error) {
      if (!error.is_overtaken()) throw;
      if (!locked) refuse_if_running(error);
      // A foreign key still refers to the row to delete; the operation converts this to its own
      // problem.
      if (attempt == limits::kWriteAttempts && error.sqlstate() == "23503") throw;
      if (attempt == limits::kWriteAttempts)
        throw Problem{Code::unavailable,
                      "Too many concurrent writes change the same object. Retry later."}
            .with_header("Retry-After", "1");
    }
    co_await pause_before_retry(attempt);
  }
}

}  // namespace shopbell::operations
