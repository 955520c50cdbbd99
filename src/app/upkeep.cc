#include "app/upkeep.h"

#include "app_queries.h"
#include "base/limits.h"
#include "events/partitions.h"
#include "observe/log.h"
#include "runtime/wait.h"

namespace shopbell::app {

namespace {

// In small batches, so that no transaction lasts.
boost::asio::awaitable<std::int64_t> delete_expired_claims(pg::Pool& database) {
  std::int64_t all = 0;
  while (true) {
    const pg::Result result =
        co_await database.query({}, sql::delete_expired_claims, limits::kUpkeepBatch);
    const std::int64_t gone = result[0].integer("gone");
    all += gone;
    if (gone < limits::kUpkeepBatch) co_return all;
  }
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

boost::asio::awaitable<void> keep_up(pg::Pool& database) {
  auto partitions_due = pg::Steady::now() + limits::kPartitionInterval;
  while (true) {
    try {
      if (pg::Steady::now() >= partitions_due) {
        co_await keep_event_partitions(database);
        partitions_due = pg::Steady::now() + limits::kPartitionInterval;
      }
      const std::int64_t gone = co_await delete_expired_claims(database);
      if (gone > 0) observe::log(observe::Level::info, "expired claims deleted", {{"count", gone}});
    } catch (const pg::Error& error) {
      observe::log(observe::Level::warn, "upkeep failed", {{"why", error.what()}});
    }
    co_await runtime::sleep_for(limits::kUpkeepInterval);
  }
}

}  // namespace shopbell::app
