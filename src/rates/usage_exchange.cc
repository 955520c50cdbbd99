#include "rates/usage_exchange.h"

#include "base/limits.h"
#include "base/time.h"
#include "observe/log.h"
#include "rates/queries.h"

namespace shopbell::rates {

namespace {

using observe::Level;
using runtime::Steady;

constexpr auto kBetweenSweeps = std::chrono::seconds{30};  // between deletions of stale rows

// One column of the rows, as a parameter.
template <class Rows, class Read>
std::vector<std::string> column(const Rows& rows, Read read) {
  std::vector<std::string> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(*pg::parameter(read(row)));
  return values;
}

void add_report(pg::Group& group, const Uuid& process, const std::vector<ReportedUse>& reported) {
  const auto of = [&](auto read) { return column(reported, read); };
  group.add(sql::tell_bucket_use, process, of([](const auto& use) { return use.bucket.account; }),
            of([](const auto& use) { return use.bucket.key; }),
            of([](const auto& use) { return use.counted_from; }),
            of([](const auto& use) { return use.used; }),
            of([](const auto& use) { return use.used_before; }),
            of([](const auto& use) { return use.wanted; }),
            of([](const auto& use) { return use.wanted_before; }),
            of([](const auto& use) { return use.remaining; }));
}

void add_query(pg::Group& group, const Uuid& process, const std::vector<Bucket>& buckets) {
  group.add(sql::hear_bucket_use, process,
            column(buckets, [](const auto& bucket) { return bucket.account; }),
            column(buckets, [](const auto& bucket) { return bucket.key; }));
}

void add_key_use(pg::Group& group, const std::vector<KeyUse::Used>& used, Steady::time_point now) {
  const auto age = [&](const KeyUse::Used& use) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(now - use.at).count();
  };
  group.add(sql::set_key_use, column(used, [](const auto& use) { return use.key.account; }),
            column(used, [](const auto& use) { return use.key.key; }), column(used, age),
            column(used, [](const auto& use) { return use.deprecated; }));
}

std::vector<ReportedUse> read_reported(const pg::Result& result) {
  return result.map([](const pg::Row& row) {
    return ReportedUse{.bucket = {.account = row.integer("account_id"), .key = row.uuid("bucket")},
                       .process = row.uuid("process"),
                       .counted_from = row.integer("counted_from"),
                       .used = row.integer("used"),
                       .used_before = row.integer("used_before"),
                       .wanted = row.integer("wanted"),
                       .wanted_before = row.integer("wanted_before"),
                       .remaining = row.integer("remaining"),
                       .at = row.instant("at"),
                       .age = std::chrono::milliseconds{row.integer("age_ms")}};
  });
}

}  // namespace

UsageExchange::UsageExchange(boost::asio::io_context& loop, pg::Pool& database, RateLimits& limits,
                             KeyUse& keys)
    : database_{database},
      keys_{keys},
      process_{Uuid::v7(system_clock().now())},
      ledger_{limits, process_},
      wake_{loop.get_executor()} {}

boost::asio::awaitable<void> UsageExchange::run() {
  while (!stopped_) {
    const auto next = Steady::now() + limits::kExchangeInterval;
    std::string trouble;
    try {
      co_await exchange();
    } catch (const std::exception& error) {
      trouble = error.what();
    }
    report(trouble);
    if (!stopped_) co_await wake_.wait_for(next - Steady::now());
  }
}

void UsageExchange::stop() {
  stopped_ = true;
  wake_.ring();
}

boost::asio::awaitable<void> UsageExchange::exchange() {
  const auto now = Steady::now();
  const auto round = ledger_.start(now);
  const auto used = keys_.due(now);
  const bool sweeps = now >= next_sweep_;
  pg::Group group;
  if (!round.ask.empty()) add_query(group, process_, round.ask);
  if (!round.tell.empty()) add_report(group, process_, round.tell);
  if (!used.empty()) add_key_use(group, used, now);
  if (sweeps) group.add(sql::delete_silent_use);
  std::vector<ReportedUse> heard;
  if (!group.statements().empty()) {
    const pg::Results results =
        co_await database_.run(std::move(group), {.deadline = now + limits::kExchangeInterval});
    if (!round.ask.empty()) heard = read_reported(results.front());
  }
  ledger_.finish(round, heard, Steady::now());
  keys_.written(used, now);
  if (sweeps) next_sweep_ = now + kBetweenSweeps;
}

// Logs once per change, not once per second.
void UsageExchange::report(const std::string& trouble) {
  if (troubled_ == !trouble.empty()) return;
  troubled_ = !trouble.empty();
  if (troubled_) {
    observe::log(Level::warn, "rate exchange paused", {{"why", trouble}});
  } else {
    observe::log(Level::info, "rate exchange resumed");
  }
}

}  // namespace shopbell::rates
