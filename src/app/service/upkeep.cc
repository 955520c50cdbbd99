#include "app/service/upkeep.h"

#include <array>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "app/service/chore.h"
#include "app/service/queries.h"
#include "base/limits.h"
#include "events/partitions.h"
#include "observe/log.h"
#include "resources/runs/run_limits.h"
#include "resources/store/account_deletion.h"
#include "runtime/wait.h"

namespace shopbell::app {

namespace {

using runtime::Steady;

// A chore that one query does, in batches.
struct BatchChore {
  std::string_view name;
  const pg::Query* query;  // processes one batch; returns 0 if nothing is left
  std::string_view done;   // text for the log; empty: not logged
  std::chrono::seconds interval = limits::kUpkeepInterval;
  std::optional<std::int64_t> batch = limits::kUpkeepBatch;
  std::optional<std::chrono::seconds> kept = std::nullopt;  // retention period of rows
};
constexpr std::array kChores{
    BatchChore{"claims", &service::sql::delete_expired_claims, "expired claims deleted"},
    BatchChore{"event-claims", &service::sql::delete_expired_event_claims,
               "expired event ids deleted"},
    BatchChore{"fields", &service::sql::purge_dropped_fields, "values of deleted fields purged"},
    BatchChore{"erased-events", &service::sql::forget_erased, "events of erased contacts cleared"},
    BatchChore{"erasures", &service::sql::delete_old_erasures, "old erasures deleted"},
    BatchChore{"rejected-events", &service::sql::delete_old_rejected_events,
               "old rejected events deleted"},
    BatchChore{"audit", &service::sql::delete_old_audit, "old audit rows deleted"},
    BatchChore{"coupons", &service::sql::purge_dropped_coupons,
               "rows of deleted coupon sets purged"},
    BatchChore{"low-coupon-sets", &service::sql::tell_low_coupon_sets, "low coupon sets reported"},
    BatchChore{"counts", &service::sql::merge_counts, "", limits::kCountsInterval,
               limits::kCountsBatch},
    BatchChore{"usage", &service::sql::advance_usage, "", limits::kUsageInterval,
               limits::kUsageTransactions},
    BatchChore{"webhooks", &service::sql::purge_dropped_webhooks,
               "rows of deleted webhooks purged"},
    BatchChore{.name = "deliveries",
               .query = &service::sql::forget_deliveries,
               .done = "old deliveries deleted",
               .kept = limits::kDeliveriesKept},
    // Two days more than deliveries, which are deleted first.
    BatchChore{.name = "chains",
               .query = &service::sql::forget_chains,
               .done = "chains of deleted contacts deleted",
               .kept = limits::kDeliveriesKept + std::chrono::days{2}},
    // Ten days before the partitions of these events are dropped.
    BatchChore{.name = "run-triggers",
               .query = &service::sql::copy_run_triggers,
               .done = "events of long runs copied",
               .interval = std::chrono::hours{1},
               .kept = limits::kEventsKept - std::chrono::days{10}},
    // The interval of table statistics is short, because tables grow fast during imports.
    BatchChore{"statistics", &service::sql::analyze_grown, "", std::chrono::seconds{1},
               std::nullopt},
};

pg::Group batch_of(const BatchChore& chore) {
  pg::Group group;
  if (chore.kept) {
    group.add(*chore.query, *chore.batch, chore.kept->count());
  } else if (chore.batch) {
    group.add(*chore.query, *chore.batch);
  } else {
    group.add(*chore.query);
  }
  return group;
}

// Continues the deletion of accounts, a batch at a time. Returns false if the time budget is used
// up before the work is done: a large account takes minutes.
boost::asio::awaitable<bool> delete_accounts(pg::Pool& database, const Rounds& rounds) {
  const auto until = Steady::now() + limits::kDeletionBudget;
  std::int64_t all = 0;
  bool finished = false;
  do {
    const auto count = co_await store::delete_due_rows(database);
    all += count.value_or(0);
    finished = !count;
  } while (!finished && !rounds.are_stopping() && Steady::now() < until);
  if (all > 0) observe::log(observe::Level::info, "rows of accounts deleted", {{"count", all}});
  co_return finished;
}

// Returns false if the time budget is used up before the work is done.
boost::asio::awaitable<bool> run_batches(pg::Pool& database, BatchChore chore,
                                         const Rounds& rounds) {
  const auto until = Steady::now() + limits::kUpkeepBudget;
  std::int64_t all = 0;
  bool finished = false;
  do {
    const pg::Results results = co_await database.run(batch_of(chore), {});
    const std::int64_t count = results[0][0].integer("count");
    all += count;
    finished = count == 0;
  } while (!finished && !rounds.are_stopping() && Steady::now() < until);
  if (all > 0 && !chore.done.empty())
    observe::log(observe::Level::info, chore.done, {{"count", all}});
  co_return finished;
}

boost::asio::awaitable<bool> walk_schedules(automation::ScheduleWalk& schedules,
                                            const Rounds& rounds) {
  const auto until = Steady::now() + limits::kUpkeepBudget;
  while (co_await schedules.step())
    if (rounds.are_stopping() || Steady::now() >= until) co_return false;
  co_return true;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace

Upkeep::Upkeep(pg::Pool& partitions, pg::Pool& chores, observe::Metrics& metrics)
    : partitions_{partitions},
      chores_{chores},
      metrics_{metrics},
      schedules_{chores},
      months_ahead_{metrics.gauge(
          "shopbell_event_months_ahead",
          "Months after the current one for which the event table has partitions.")} {}

boost::asio::awaitable<bool> Upkeep::keep_event_partitions() {
  const events::PartitionUpkeep done = co_await events::keep_partitions(partitions_);
  months_ahead_.set(static_cast<double>(done.months_ahead));
  if (!done.made.empty() || !done.dropped.empty()) {
    observe::log(observe::Level::info, "event partitions kept",
                 {{"made", joined(done.made)}, {"dropped", joined(done.dropped)}});
  }
  co_return done.covered;
}

boost::asio::awaitable<bool> Upkeep::keep_other_partitions() {
  bool covered = true;
  for (const std::string_view table : {"message", "run_history"}) {
    const pg::Result kept =
        co_await partitions_.query({}, service::sql::keep_monthly_partitions, std::string{table},
                                   limits::kEventsKept.count(), limits::kEventMonthsAhead);
    const pg::Row row = kept[0];
    const auto made = row.texts("made");
    const auto dropped = row.texts("dropped");
    if (!made.empty() || !dropped.empty())
      observe::log(
          observe::Level::info, "partitions kept",
          {{"table", std::string{table}}, {"made", joined(made)}, {"dropped", joined(dropped)}});
    covered = covered && row.boolean("covered");
  }
  co_return covered;
}

void Upkeep::start(boost::asio::io_context& loop) {
  const auto run = [&](std::string_view name, std::function<boost::asio::awaitable<bool>()> round,
                       std::chrono::seconds interval) {
    boost::asio::co_spawn(loop,
                          repeat({.name = std::string{name},
                                  .round = std::move(round),
                                  .interval = interval,
                                  .pause = limits::kUpkeepPause,
                                  .retry = limits::kUpkeepRetry},
                                 metrics_, rounds_),
                          boost::asio::detached);
  };
  run("partitions", [this] { return keep_event_partitions(); }, limits::kUpkeepInterval);
  run("other-partitions", [this] { return keep_other_partitions(); }, limits::kUpkeepInterval);
  run(
      "schedules", [this] { return walk_schedules(schedules_, rounds_); },
      limits::kScheduleInterval);
  run("accounts", [this] { return delete_accounts(chores_, rounds_); }, limits::kDeletionInterval);
  for (const auto& chore : kChores)
    run(chore.name, [this, chore] { return run_batches(chores_, chore, rounds_); }, chore.interval);
}

}  // namespace shopbell::app
