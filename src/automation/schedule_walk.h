// ScheduleWalk: starts workflows by their schedules. It walks the contacts of a due schedule page
// by page, and appends them to the log as commands to start; the lanes check the condition and
// start the runs. One process walks at a time, and any other continues a walk that was interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "automation/definition_cache.h"
#include "pg/pool.h"

namespace shopbell::automation {

class ScheduleWalk {
 public:
  explicit ScheduleWalk(pg::Pool& database) : database_{database}, definitions_{database} {}

  // Takes one step: plans the times of a schedule, or walks one page. Returns false if no schedule
  // is due, another process walks, or the lanes are behind.
  boost::asio::awaitable<bool> step();

 private:
  struct Due {
    std::int64_t account = 0;
    Uuid workflow;
    std::string zone;
    std::int64_t version = 0;
    Instant next_at;
    bool is_baseline = false;
    std::optional<Uuid> walked_to;
    Instant now;
    AccountVersions versions;
  };

  static Due due_of(const pg::Row& row);
  boost::asio::awaitable<bool> take_next(pg::Transaction& transaction);
  boost::asio::awaitable<void> take(pg::Transaction& transaction, Due due);
  boost::asio::awaitable<void> plan(pg::Transaction& transaction, const Due& due,
                                    const engine::Schedule& schedule, std::string store_zone);
  boost::asio::awaitable<void> walk(pg::Transaction& transaction, const Due& due,
                                    const engine::Schedule& schedule, std::string store_zone);
  static boost::asio::awaitable<std::vector<Uuid>> page(pg::Transaction& transaction,
                                                        const Due& due);

  pg::Pool& database_;
  DefinitionCache definitions_;
};

}  // namespace shopbell::automation
