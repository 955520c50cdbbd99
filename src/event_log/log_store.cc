#include "event_log/log_store.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <format>
#include <stdexcept>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "event_log/queries.h"
#include "pg/columns.h"
#include "runtime/wait.h"

namespace shopbell::event_log {

namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

constexpr std::size_t kEntriesInTurn = 500;  // converting this many takes about 1 ms

Tick tick_of(const pg::Row& row, const std::string& side) {
  const auto column = [&](const char* name) { return side + name; };
  const auto shows = Snapshot::parse(row.view(column("_shows").c_str()));
  if (!shows) throw std::logic_error{"malformed snapshot in a tick"};
  return {.tick = row.integer(column("_tick").c_str()),
          .epoch = row.integer(column("_epoch").c_str()),
          .shows = *shows,
          .ends = row.boolean(column("_ends").c_str()),
          .last_id = row.integer(column("_last_id").c_str()),
          .start_id = row.integer(column("_start_id").c_str()),
          .since = row.text(column("_since").c_str()),
          .at = row.instant(column("_at").c_str())};
}

Held held_of(const pg::Row& row) {
  const Position position{.tick = row.integer("tick"),
                          .through = row.maybe_integer("through"),
                          .after_id = row.integer("after_id")};
  return {.group = static_cast<std::int16_t>(row.integer("lane_group")),
          .generation = row.integer("generation"),
          .saved = position,
          .position = position};
}

Entry entry_of(const pg::Row& row) {
  return {.account = row.integer("account_id"),
          .id = row.integer("id"),
          .uid = row.uuid("uid"),
          .lane = static_cast<std::int16_t>(row.integer("lane")),
          .contact_id = row.find("contact_id") ? std::optional{row.uuid("contact_id")}
                                               : std::optional<Uuid>{},
          .contact_seq = row.maybe_integer("contact_seq"),
          .subject = row.maybe_text("subject"),
          .kind = row.text("kind"),
          .occurred_at = row.instant("occurred_at"),
          .received_at = row.instant("received_at"),
          .trigger = row.text("triggers"),
          .hops = row.integer("hops"),
          .payload = row.maybe_text("payload")};
}

template <class Numbers>
std::string array_of(const Numbers& numbers) {
  pg::Array array;
  for (const auto& number : numbers) array.add(number);
  return std::move(array).finish();
}

pg::Scope log_scope() { return {.deadline = pg::Steady::now() + limits::kLogTransaction}; }

}  // namespace

std::map<std::string, Lag> lags_of(const pg::Result& rows) {
  std::map<std::string, Lag> lags;
  for (std::size_t i = 0; i < rows.size(); ++i)
    lags[rows[i].text("reader")] = {.events = rows[i].integer("events"),
                                    .seconds = std::stod(rows[i].text("seconds")),
                                    .parked = rows[i].integer("parked")};
  return lags;
}

boost::asio::awaitable<Beat> beat(pg::Pool& database, Uuid process, std::string version,
                                  std::vector<std::string> readers,
                                  std::vector<std::int64_t> keyring_keys) {
  const std::int64_t lease = seconds{limits::kLogLease}.count();
  pg::Group group;
  group.add(sql::beat, process, version, lease, readers, array_of(keyring_keys));
  group.add(sql::get_ticker, process, lease);
  group.add(sql::list_lags);
  const pg::Results results = co_await database.run(std::move(group), log_scope());
  Beat beat;
  for (std::size_t i = 0; i < results[0].size(); ++i)
    beat.held[results[0][i].text("reader")].push_back(held_of(results[0][i]));
  const pg::Row ticker = results[1][0];
  if (ticker.find("ours") && ticker.boolean("ours")) beat.ticker = ticker.integer("generation");
  beat.ticker_alive = ticker.boolean("alive");
  beat.lag = lags_of(results[2]);
  co_return beat;
}

boost::asio::awaitable<void> leave(pg::Pool& database, Uuid process) {
  co_await database.query(log_scope(), sql::leave, process);
}

boost::asio::awaitable<MadeTick> make_tick(pg::Pool& database, Uuid process,
                                           std::int64_t generation) {
  const pg::Result result =
      co_await database.query(log_scope(), sql::make_tick, process, generation);
  co_return MadeTick{.made = result[0].boolean("made"),
                     .set_back_s = std::stod(result[0].text("set_back"))};
}

boost::asio::awaitable<Forgotten> forget_log(pg::Pool& database, Forgotten last) {
  const pg::Result result = co_await database.query(
      log_scope(), sql::forget_log, seconds{limits::kTicksKept}.count(),
      seconds{limits::kReaderUnused}.count(), limits::kTicksMerged, last.ticks, last.positions);
  co_return Forgotten{.ticks = result[0].maybe_integer("from_tick"),
                      .positions = result[0].maybe_integer("from_number"),
                      .readers = result[0].texts("dropped")};
}

boost::asio::awaitable<std::optional<Step>> next_step(pg::Pool& database, Position position,
                                                      std::optional<std::int64_t> no_further,
                                                      std::int64_t page) {
  const std::int64_t bound = position.tick + limits::kTicksMerged;
  const pg::Result found =
      co_await database.query(log_scope(), sql::next_step, position.tick, position.through,
                              std::min(bound, no_further.value_or(bound)), page);
  co_return found.first().transform([](const pg::Row& row) {
    return Step{.from = tick_of(row, "from"), .to = tick_of(row, "to")};
  });
}

boost::asio::awaitable<Page> read_batch(pg::Pool& database, Batch batch, std::string since,
                                        Wanted wanted) {
  const std::int64_t after = std::max(batch.above_id, wanted.after_id);
  const std::int64_t end = std::min(
      batch.up_to_id, std::max(after, batch.unseen_id) + wanted.limit * limits::kLogIdsPerEvent);
  std::uint64_t groups = 0;
  for (const std::int16_t group : wanted.groups) groups |= std::uint64_t{1} << group;
  const auto lanes = static_cast<std::int64_t>(groups);
  pg::Result found = co_await database.query(
      log_scope(), sql::read_batch, batch.begin, batch.end, array_of(batch.hidden),
      array_of(batch.late), since, after, lanes, wanted.limit, wanted.payloads, end,
      limits::kLogReadBytes, wanted.reader, batch.unseen_id, batch.ends);
  Page page{.epoch = batch.epoch, .reached = end};
  if (!found.empty()) {
    const pg::Row row = found[found.size() - 1];
    const bool is_full = std::cmp_equal(found.size(), wanted.limit);
    page.was_cut = !is_full && row.integer("bytes") >= limits::kLogReadBytes;
    if (is_full || page.was_cut) page.reached = row.integer("id");
  }
  page.last = page.reached >= batch.up_to_id;
  page.rows = std::move(found);
  co_return page;
}

boost::asio::awaitable<std::vector<Entry>> entries_of(Page page) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(page.size()));
  for (std::size_t i = 0; std::cmp_less(i, page.size()); ++i) {
    if (i % kEntriesInTurn == kEntriesInTurn - 1) co_await runtime::yield();
    entries.push_back(entry_of((*page.rows)[i]));
    entries.back().epoch = page.epoch;
  }
  co_return entries;
}

Position next_position(const Step& step, const Page& page) {
  if (page.last) return {.tick = step.to.tick};
  return {.tick = step.from.tick, .through = step.to.tick, .after_id = page.reached};
}

void fence(pg::Group& effect, Uuid process, const std::string& reader, std::span<const Held> held) {
  pg::Array groups, generations, ticks, throughs, ids;
  for (const auto& one : held) {
    groups.add(one.group);
    generations.add(one.generation);
    ticks.add(one.saved.tick);
    throughs.add(one.saved.through);
    ids.add(one.saved.after_id);
  }
  effect.add(sql::fence_lanes, process, reader, std::move(groups).finish(),
             std::move(generations).finish(), std::move(ticks).finish(),
             std::move(throughs).finish(), std::move(ids).finish());
}

void save_position(pg::Group& effect, const std::string& reader, std::span<const Held> held,
                   const Position& to) {
  pg::Array groups;
  for (const auto& one : held) groups.add(one.group);
  effect.add(sql::save_position, reader, std::move(groups).finish(), to.tick, to.through,
             to.after_id);
}

bool is_fenced(const pg::Error& error) { return error.sqlstate() == "SB003"; }

std::optional<std::string> objection_of(const pg::Error& error) {
  const std::string_view state = error.sqlstate();
  const bool is_about_data =
      std::ranges::any_of(std::array{"21", "22", "23", "P0"},
                          [&](const char* kind) { return state.starts_with(kind); });
  if (!is_about_data) return std::nullopt;
  // PostgreSQL's message is left out: it may quote personal data of the event.
  return std::format("PostgreSQL refuses it: {} {} in {}", state, error.constraint(),
                     error.query());
}

boost::asio::awaitable<std::optional<DueTimers>> read_timers(pg::Pool& database, std::int64_t tick,
                                                             std::map<std::int16_t, Mark> marks,
                                                             std::int64_t most) {
  pg::Columns groups;
  for (const auto& [group, mark] : marks) groups.add(group, mark.due_at, mark.owner);
  pg::Group reads;
  groups.add_to(reads, sql::read_timers, tick, most, seconds{limits::kTimerWindow}.count());
  const pg::Results results = co_await database.run(std::move(reads), log_scope());
  const pg::Result& rows = results[0];
  if (rows.empty()) co_return std::nullopt;
  DueTimers found{.at = rows[0].instant("at"), .timers = {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const pg::Row row = rows[i];
    if (!row.find("owner_id")) continue;  // the tick without timers
    found.timers.push_back({.group = static_cast<std::int16_t>(row.integer("lane_group")),
                            .due_at = row.instant("due_at"),
                            .owner = row.uuid("owner_id"),
                            .account = row.integer("account_id"),
                            .contact = row.uuid("contact_id")});
  }
  co_return found;
}

void delete_fired(pg::Group& effect, const std::map<std::int16_t, std::pair<Mark, Mark>>& fired) {
  pg::Columns ranges;
  for (const auto& [group, range] : fired)
    ranges.add(group, range.first.due_at, range.first.owner, range.second.due_at,
               range.second.owner);
  ranges.add_to(effect, sql::delete_fired);
}

void park(pg::Group& effect, const std::string& reader, const Entry& entry,
          const std::string& reason) {
  effect.add(sql::park_event, entry.account, reader, entry.id, entry.received_at, entry.uid,
             entry.kind, reason.substr(0, limits::kParkedReasonBytes));
}

}  // namespace shopbell::event_log
