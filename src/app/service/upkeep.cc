#include "app/service/upkeep.h"

#include "app/service/queries.h"
#include "base/limits.h"
#include "events/partitions.h"
#include "observe/log.h"
#include "resources/store/account_deletion.h"
#include "runtime/wait.h"

namespace shopbell::app {

namespace {

struct Chore {
  const pg::Query* query;  // processes one batch and returns its size
  std::string_view done;
  std::optional<std::chrono::seconds> kept = std::nullopt;  // retention period of rows
};
constexpr std::array kChores{
    Chore{&service::sql::delete_expired_claims, "expired claims deleted"},
    Chore{&service::sql::delete_expired_event_claims, "expired event ids deleted"},
    Chore{&service::sql::purge_dropped_fields, "values of deleted fields purged"},
    Chore{&service::sql::forget_erased, "events of erased contacts cleared"},
    Chore{&service::sql::delete_old_erasures, "old erasures deleted"},
    Chore{&service::sql::delete_old_rejected_events, "old rejected events deleted"},
    Chore{&service::sql::delete_old_audit, "old audit rows deleted"},
    Chore{&service::sql::purge_dropped_coupons, "rows of deleted coupon sets purged"},
    Chore{&service::sql::tell_low_coupon_sets, "low coupon sets reported"},
    Chore{&service::sql::count_usage, "usage counted"},
    Chore{&service::sql::purge_dropped_webhooks, "rows of deleted webhooks purged"},
    Chore{&service::sql::forget_deliveries, "old deliveries deleted", limits::kDeliveriesKept},
};

// Table statistics are due often, because tables grow fast during imports.
constexpr auto kRoundEvery = std::chrono::seconds{1};

boost::asio::awaitable<void> analyze_grown_tables(pg::Pool& database) {
  while ((co_await database.query({}, service::sql::analyze_grown))[0].integer("count") > 0) {
  }
}

// Continues the deletion of accounts, a batch at a time. Stops after a while, because a large
// account takes minutes and other chores have to run meanwhile.
boost::asio::awaitable<void> delete_accounts(pg::Pool& database) {
  const auto until = pg::Steady::now() + limits::kDeletionBudget;
  std::int64_t all = 0;
  while (pg::Steady::now() < until) {
    const auto count = co_await store::delete_due_rows(database);
    if (!count) break;
    all += *count;
  }
  if (all > 0) observe::log(observe::Level::info, "rows of accounts deleted", {{"count", all}});
}

// Runs a chore in small batches, to keep transactions short.
boost::asio::awaitable<void> do_chore(pg::Pool& database, Chore chore) {
  std::int64_t all = 0;
  while (true) {
    const pg::Result result =
        chore.kept
            ? co_await database.query({}, *chore.query, limits::kUpkeepBatch, chore.kept->count())
            : co_await database.query({}, *chore.query, limits::kUpkeepBatch);
    const std::int64_t count = result[0].integer("count");
    all += count;
    if (count == 0) break;
  }
  if (all > 0) observe::log(observe::Level::info, chore.done, {{"count", all}});
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

}  // namespace

boost::asio::awaitable<bool> keep_event_partitions(pg::Pool& database) {
  const events::PartitionUpkeep done = co_await events::keep_partitions(database);
  if (!done.made.empty() || !done.dropped.empty()) {
    observe::log(observe::Level::info, "event partitions kept",
                 {{"made", joined(done.made)}, {"dropped", joined(done.dropped)}});
  }
  co_return done.covered;
}

namespace {

boost::asio::awaitable<void> move_partitions_on(pg::Pool& database) {
  co_await keep_event_partitions(database);
}

// Awaits the work. Logs a failure, so that the other chores still run.
boost::asio::awaitable<void> attempt(boost::asio::awaitable<void> work) {
  try {
    co_await std::move(work);
  } catch (const pg::Error& error) {
    observe::log(observe::Level::warn, "upkeep failed", {{"why", error.what()}});
  }
}

}  // namespace

boost::asio::awaitable<void> keep_up(pg::Pool& database) {
  auto partitions_due = pg::Steady::now() + limits::kPartitionInterval;
  auto chores_due = pg::Steady::now();
  while (true) {
    co_await attempt(analyze_grown_tables(database));
    co_await attempt(delete_accounts(database));
    if (pg::Steady::now() >= partitions_due) {
      co_await attempt(move_partitions_on(database));
      partitions_due = pg::Steady::now() + limits::kPartitionInterval;
    }
    if (pg::Steady::now() >= chores_due) {
      for (const auto& chore : kChores) co_await attempt(do_chore(database, chore));
      chores_due = pg::Steady::now() + limits::kUpkeepInterval;
    }
    co_await runtime::sleep_for(kRoundEvery);
  }
}

}  // namespace shopbell::app
