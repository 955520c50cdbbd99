// ReadAhead: prefetches the events that a reader takes next. The ticks determine them, not the
// commit of earlier events, so a lagging reader prefetches while it commits.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "event_log/log_store.h"
#include "event_log/reader.h"
#include "pg/pool.h"
#include "runtime/wait.h"

namespace shopbell::event_log {

namespace asio = boost::asio;

// Groups of lanes, ascending, all at one position.
struct Place {
  std::vector<std::int16_t> groups;
  Position position;

  // True if a read from here contains everything that `other` has to read.
  bool covers(const Place& other) const;
};

// All events of these lanes between two positions.
struct Stretch {
  Place from;
  Position to;
  Position middle;       // base of the positions between its events
  bool was_cut = false;  // true if large payloads cut it short
  Instant tick_at;       // the time of the tick at which its batch ends
  std::vector<Entry> entries;

  // Splits off and returns the first `most` events; this stretch then starts after them.
  Stretch cut(std::int64_t most);
};

// The position just after these entries, inside their batch.
Position behind(Position middle, std::span<const Entry> entries);

class ReadAhead {
 public:
  // The pool needs one connection for reading and one for commits.
  ReadAhead(asio::io_context& loop, pg::Pool& database, const Reader& reader);

  // Returns the next events at this place: up to `limit`, or those prefetched. nullopt if there is
  // no later tick; never reads past the tick `no_further`. If more events are certain or likely, it
  // prefetches up to `ahead` of them.
  asio::awaitable<std::optional<Stretch>> next(Place place, std::optional<std::int64_t> no_further,
                                               std::int64_t limit, std::int64_t ahead);
  // Discards the prefetched events.
  void forget() { reading_.reset(); }
  // Returns when no read is in flight.
  asio::awaitable<void> end();

 private:
  struct Found {
    Stretch stretch;  // the stretch without its events
    Page page;
  };
  struct Reading {
    Place place;
    bool ended = false;
    std::exception_ptr failure;
    std::optional<Found> found;
  };
  asio::awaitable<std::optional<Found>> read(Place place, std::optional<std::int64_t> no_further,
                                             std::int64_t limit);
  void begin(Place place, std::int64_t limit);

  asio::io_context& loop_;
  pg::Pool& database_;
  const bool payloads_;
  const std::optional<std::string> reader_;  // set if the reader reads some accounts only
  std::int64_t fitting_events_;  // events that fit into a page, judging by earlier payloads
  std::shared_ptr<Reading> reading_;
  int in_flight_ = 0;  // reads in flight, including discarded ones
  runtime::Bell ended_;
};

}  // namespace shopbell::event_log
