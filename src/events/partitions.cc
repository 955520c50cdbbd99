#include "events/partitions.h"

#include "base/limits.h"
#include "events/queries.h"

namespace shopbell::events {

boost::asio::awaitable<PartitionUpkeep> keep_partitions(pg::Pool& database) {
  const pg::Result result = co_await database.query(
      {}, sql::keep_partitions, limits::kEventsKept.count(), limits::kEventMonthsAhead);
  const pg::Row row = result[0];
  co_return PartitionUpkeep{.made = row.texts("made"),
                            .dropped = row.texts("dropped"),
                            .covered = row.boolean("covered")};
}

}  // namespace shopbell::events
