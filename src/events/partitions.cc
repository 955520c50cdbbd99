#include "events/partitions.h"

#include "base/limits.h"
#include "events/queries.h"

namespace shopbell::events {

boost::asio::awaitable<PartitionUpkeep> keep_partitions(pg::Pool& database) {
  pg::Group group;
  group.add(sql::keep_partitions, limits::kEventsKept.count(), limits::kEventMonthsAhead);
  group.add(sql::count_months_ahead);
  const pg::Results results = co_await database.run(std::move(group), {});
  const pg::Row row = results[0][0];
  co_return PartitionUpkeep{.made = row.texts("made"),
                            .dropped = row.texts("dropped"),
                            .covered = row.boolean("covered"),
                            .months_ahead = results[1][0].integer("months")};
}

}  // namespace shopbell::events
