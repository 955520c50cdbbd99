// The log in the database: the only place that names its queries. All for the worker's role.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/uuid.h"
#include "event_log/batch.h"
#include "event_log/reader.h"
#include "pg/error.h"
#include "pg/group.h"
#include "pg/pool.h"

namespace shopbell::event_log {

inline constexpr std::int64_t kLaneGroups = 64;

// All up to `tick` is done; of the batch from there to `through`, all up to the event `after_id`.
struct Position {
  std::int64_t tick = 0;
  std::optional<std::int64_t> through;
  std::int64_t after_id = 0;

  auto operator<=>(const Position&) const = default;
};

// A group of lanes while it is ours.
struct Held {
  std::int16_t group = 0;
  std::int64_t generation = 0;
  Position saved;     // in the database
  Position position;  // read up to; what there was to do since `saved` has begun, elsewhere
};

struct Lag {
  std::int64_t events = 0;
  double seconds = 0;
  std::int64_t parked = 0;
};

std::map<std::string, Lag> lags_of(const pg::Result& rows);

struct Beat {
  std::optional<std::int64_t> ticker;  // the generation in which making ticks is ours
  bool ticker_alive = false;           // ours or another's
  std::map<std::string, std::vector<Held>> held;
  std::map<std::string, Lag> lag;
};

// A heartbeat of this process: what it holds from now on.
boost::asio::awaitable<Beat> beat(pg::Pool& database, Uuid process, std::string version,
                                  std::vector<std::string> readers);
// Gives back everything.
boost::asio::awaitable<void> leave(pg::Pool& database, Uuid process);

// Whether there was something to show. Raises when making ticks is another's.
boost::asio::awaitable<bool> make_tick(pg::Pool& database, Uuid process, std::int64_t generation);
// How many were forgotten of those that nobody needs.
boost::asio::awaitable<std::int64_t> forget_ticks(pg::Pool& database);

// The ticks between which a reader at the position reads next: as far as a page of events may
// reach, and not past `no_further`. Nothing when there is no later tick.
struct Step {
  Tick from;
  Tick to;
};
boost::asio::awaitable<std::optional<Step>> next_step(pg::Pool& database, Position position,
                                                      std::optional<std::int64_t> no_further,
                                                      std::int64_t page);

// The events of the batch in these groups of lanes, by id: as many as the limit says, or fewer
// where their payloads are large.
struct Wanted {
  std::vector<std::int16_t> groups;
  std::int64_t after_id = 0;
  std::int64_t limit = 0;
  bool payloads = false;
  std::optional<std::string> reader;  // of its accounts only
};
struct Page {
  std::optional<pg::Result> rows;  // as they came; of an empty batch none did
  std::int64_t epoch = 0;
  bool last = true;  // nothing of the batch lies behind it

  std::int64_t size() const { return rows ? static_cast<std::int64_t>(rows->size()) : 0; }
};
boost::asio::awaitable<Page> read_batch(pg::Pool& database, Batch batch, std::string since,
                                        Wanted wanted);

// Takes a while for a large one; others on the loop have their turns.
boost::asio::awaitable<std::vector<Entry>> entries_of(Page page);

// Where a reader is that has done this page of the step.
Position next_position(const Step& step, const Page& page);

// The fence: first in the group that has the effects. Raises unless every one of them is still
// ours, and where we left it.
void advance(pg::Group& effect, Uuid process, const std::string& reader, std::span<const Held> held,
             const Position& to);
// Whether it was the fence, or that of the ticker, that refused.
bool is_fenced(const pg::Error& error);

void park(pg::Group& effect, const std::string& reader, const Entry& entry,
          const std::string& reason);

}  // namespace shopbell::event_log
