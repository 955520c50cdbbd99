#include "app/upkeep.h"

#include "app_queries.h"
#include "base/limits.h"
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

}  // namespace

boost::asio::awaitable<void> keep_up(pg::Pool& database) {
  while (true) {
    try {
      const std::int64_t gone = co_await delete_expired_claims(database);
      if (gone > 0) observe::log(observe::Level::info, "expired claims deleted", {{"count", gone}});
    } catch (const pg::Error& error) {
      observe::log(observe::Level::warn, "upkeep failed", {{"why", error.what()}});
    }
    co_await runtime::sleep_for(limits::kUpkeepInterval);
  }
}

}  // namespace shopbell::app
