// ReadAhead: the events that a reader takes next. Which they are, the ticks say, not the commit of
// those before them: so a reader that is behind has them read while it commits.
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

// Some groups of lanes, ascending, all at one position.
struct Place {
  std::vector<std::int16_t> groups;
  Position position;

  // Whether what was read from here is all that others have to read.
  bool covers(const Place& other) const;
};

// All events of these lanes from one position to another.
struct Stretch {
  Place from;
  Position to;
  Position middle;       // where positions between its events begin
  bool was_cut = false;  // by the bytes of its payloads
  std::vector<Entry> entries;

  // The first of it, with as many events as that, which this then begins behind.
  Stretch cut(std::int64_t most);
};

// Where a reader is in the middle of a batch that has done these of it.
Position behind(Position middle, std::span<const Entry> entries);

class ReadAhead {
 public:
  // On a pool with a connection for the reading and one for the commits.
  ReadAhead(asio::io_context& loop, pg::Pool& database, const Reader& reader);

  // What comes next at this place: as many as the limit says, or what was read ahead.
  // Nothing when there is no later tick; none is passed that is later than `no_further`.
  // When that is much, there will be more: then as many as `ahead` says are read meanwhile, if any.
  // Every read of a large batch goes through all of it, so it had better bring much; but what it
  // brings is sorted in PostgreSQL's memory, then waits in ours.
  asio::awaitable<std::optional<Stretch>> next(Place place, std::optional<std::int64_t> no_further,
                                               std::int64_t limit, std::int64_t ahead);
  // It is not what comes next.
  void forget() { reading_.reset(); }
  // Returns when nothing is under way any more.
  asio::awaitable<void> end();

 private:
  struct Found {
    Stretch stretch;  // without its events
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
  const std::optional<std::string> reader_;  // that reads some accounts only
  std::int64_t fits_;  // so many events, if their payloads are like those before
  std::shared_ptr<Reading> reading_;
  int under_way_ = 0;  // forgotten ones too
  runtime::Bell ended_;
};

}  // namespace shopbell::event_log
