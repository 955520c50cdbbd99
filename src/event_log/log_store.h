// The log in the database: the only place that uses its queries. All of them run as the worker
// role.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/uuid.h"
#include "event_log/batch.h"
#include "event_log/lane_timers.h"
#include "event_log/reader.h"
#include "pg/error.h"
#include "pg/group.h"
#include "pg/pool.h"

namespace shopbell::event_log {

inline constexpr std::int64_t kLaneGroups = 64;

// A reader's position: all events up to `tick` are processed, and in the batch from `tick` to
// `through` all events up to `after_id`.
struct Position {
  std::int64_t tick = 0;
  std::optional<std::int64_t> through;
  std::int64_t after_id = 0;

  auto operator<=>(const Position&) const = default;
};

// A group of lanes that this process holds.
struct Held {
  std::int16_t group = 0;
  std::int64_t generation = 0;
  Position saved;     // position in the database
  Position position;  // position of the last read; external effects since `saved` have started
};

struct Lag {
  std::int64_t events = 0;
  double seconds = 0;
  std::int64_t parked = 0;
};

std::map<std::string, Lag> lags_of(const pg::Result& rows);

struct Beat {
  std::optional<std::int64_t> ticker;  // the generation in which this process is the ticker
  bool ticker_alive = false;           // true while a live process is the ticker
  std::map<std::string, std::vector<Held>> held;
  std::map<std::string, Lag> lag;
};

// Sends a heartbeat. Returns what this process holds from now on.
boost::asio::awaitable<Beat> beat(pg::Pool& database, Uuid process, std::string version,
                                  std::vector<std::string> readers,
                                  std::vector<std::int64_t> keyring_keys = {});
// Releases all lanes of the process, and its ticker role.
boost::asio::awaitable<void> leave(pg::Pool& database, Uuid process);

struct MadeTick {
  bool made = false;      // false if there is nothing new to show
  double set_back_s = 0;  // how far the database's clock is behind the previous tick
};
// Makes a tick that shows new events. Throws if another process is the ticker.
boost::asio::awaitable<MadeTick> make_tick(pg::Pool& database, Uuid process,
                                           std::int64_t generation);
// Deletes ticks and positions that no reader needs, and readers that no process has had for long.
// It continues where the last call ended; without that it searches from the oldest.
struct Forgotten {
  std::optional<std::int64_t> ticks;      // the next call starts at this tick
  std::optional<std::int64_t> positions;  // the next call starts at this position
  std::vector<std::string> readers;       // dropped by this call
};
boost::asio::awaitable<Forgotten> forget_log(pg::Pool& database, Forgotten last);

// The ticks between which a reader at the position reads next: up to about a page of events, and
// not past `no_further`. nullopt if there is no later tick.
struct Step {
  Tick from;
  Tick to;
};
boost::asio::awaitable<std::optional<Step>> next_step(pg::Pool& database, Position position,
                                                      std::optional<std::int64_t> no_further,
                                                      std::int64_t page);

// The events of the batch in these groups of lanes, ordered by id: up to the limit, or fewer if
// their payloads are large.
struct Wanted {
  std::vector<std::int16_t> groups;
  std::int64_t after_id = 0;
  std::int64_t limit = 0;
  bool payloads = false;
  std::optional<std::string> reader;  // if set, only events of this reader's accounts
};
struct Page {
  std::optional<pg::Result> rows;  // nullopt for an empty batch
  std::int64_t epoch = 0;
  bool last = true;          // the batch has no more events
  bool was_cut = false;      // true if large payloads cut the page short
  std::int64_t reached = 0;  // the last id that was looked at

  std::int64_t size() const { return rows ? static_cast<std::int64_t>(rows->size()) : 0; }
};
boost::asio::awaitable<Page> read_batch(pg::Pool& database, Batch batch, std::string since,
                                        Wanted wanted);

// Converts a page to entries. Yields to other coroutines of the loop if the page is large.
boost::asio::awaitable<std::vector<Entry>> entries_of(Page page);

// The position of a reader after this page of the step.
Position next_position(const Step& step, const Page& page);

// The fence: the first statement of the group with the effects. Raises unless this process still
// holds every group of lanes at its saved position.
void fence(pg::Group& effect, Uuid process, const std::string& reader, std::span<const Held> held);
// The last statement of the group with the effects.
void save_position(pg::Group& effect, const std::string& reader, std::span<const Held> held,
                   const Position& to);
// True if the fence of the lanes, or that of the ticker, refused the transaction.
bool is_fenced(const pg::Error& error);
// The reason if PostgreSQL objects to an event: to its data, or to a constraint that it violates.
// Any other error may be transient, even a table that is missing during an upgrade.
std::optional<std::string> objection_of(const pg::Error& error);

// The first timers after the marks: up to `most` of each group. nullopt if the tick is gone.
boost::asio::awaitable<std::optional<DueTimers>> read_timers(pg::Pool& database, std::int64_t tick,
                                                             std::map<std::int16_t, Mark> marks,
                                                             std::int64_t most);
// Deletes the timers of each group after its first mark, up to its second. They have fired. Only
// inside a fenced transaction: another owner of the lanes may have armed earlier timers.
void delete_fired(pg::Group& effect, const std::map<std::int16_t, std::pair<Mark, Mark>>& fired);

void park(pg::Group& effect, const std::string& reader, const Entry& entry,
          const std::string& reason);

}  // namespace shopbell::event_log
