#include "event_log/log_status.h"

#include <numeric>

#include "base/limits.h"
#include "event_log/queries.h"
#include "runtime/wait.h"

namespace shopbell::event_log {

namespace {

ProcessStatus process_of(const pg::Row& row) {
  std::vector<std::int64_t> keys;
  for (const auto& key : row.texts("keyring_keys")) keys.push_back(std::stoll(key));
  return {.process = row.uuid("process"),
          .version = row.text("version"),
          .started_at = row.instant("started_at"),
          .silent_s = std::stod(row.text("silent")),
          .alive = row.boolean("alive"),
          .makes_ticks = row.boolean("ticks"),
          .groups = row.integer("groups"),
          .keyring_keys = std::move(keys)};
}

NewestTick newest_of(const pg::Row& row) {
  return {.tick = row.integer("tick"),
          .epoch = row.integer("epoch"),
          .at = row.instant("at"),
          .last_id = row.integer("last_id")};
}

}  // namespace

boost::asio::awaitable<Status> read_status(pg::Pool& database) {
  pg::Group reads;
  reads.add(sql::get_newest_tick);
  reads.add(sql::list_processes, std::chrono::seconds{limits::kLogLease}.count());
  reads.add(sql::list_lags);
  const pg::Results found = co_await database.run(std::move(reads), {});
  Status status{.newest = found[0].first().transform(newest_of), .readers = lags_of(found[2])};
  for (std::size_t i = 0; i < found[1].size(); ++i)
    status.processes.push_back(process_of(found[1][i]));
  co_return status;
}

boost::asio::awaitable<std::vector<Parked>> list_parked(pg::Pool& database, std::int64_t limit) {
  const pg::Result found = co_await database.query({}, sql::list_parked, limit);
  std::vector<Parked> parked;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const pg::Row row = found[i];
    parked.push_back({.account = row.integer("account_id"),
                      .reader = row.text("reader"),
                      .uid = row.uuid("uid"),
                      .kind = row.text("kind"),
                      .reason = row.text("reason"),
                      .parked_at = row.instant("parked_at")});
  }
  co_return parked;
}

boost::asio::awaitable<std::int64_t> forget_parked(pg::Transaction& transaction,
                                                   std::string reader) {
  co_return (co_await transaction.query(sql::forget_parked, reader))[0].integer("count");
}

boost::asio::awaitable<std::int64_t> drop_reader(pg::Transaction& transaction, std::string reader) {
  co_return (co_await transaction.query(sql::drop_reader, reader))[0].integer("count");
}

boost::asio::awaitable<std::int64_t> begin_epoch(pg::Transaction& transaction) {
  co_return (co_await transaction.query(sql::begin_epoch))[0].integer("incarnation");
}

boost::asio::awaitable<void> follow(pg::Pool& database, std::function<bool(const Entry&)> take) {
  std::vector<std::int16_t> every(kLaneGroups);
  std::iota(every.begin(), every.end(), std::int16_t{0});
  std::optional<Position> position;
  while (true) {
    if (!position) {
      const pg::Result newest = co_await database.query({}, sql::get_newest_tick);
      if (const auto tick = newest.first()) position = {.tick = tick->integer("tick")};
    }
    const auto step = position ? co_await next_step(database, *position, {}, limits::kLogPage)
                               : std::optional<Step>{};
    if (!step) {
      co_await runtime::sleep_for(limits::kTickIdle);
      continue;
    }
    const auto batch = batch_between(step->from, step->to);
    Page page;
    if (batch)
      page = co_await read_batch(database, *batch, step->from.since,
                                 {.groups = every,
                                  .after_id = position->after_id,
                                  .limit = limits::kLogPage,
                                  .payloads = true});
    position = next_position(*step, page);
    for (const auto& entry : co_await entries_of(std::move(page))) {
      if (!take(entry)) co_return;
    }
  }
}

}  // namespace shopbell::event_log
