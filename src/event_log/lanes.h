// Lanes: what one reader reads in this process. It goes through the events of the lanes that are
// ours, batch by batch, and commits each effect together with how far it has come. Whoever took the
// lanes over meanwhile makes the fence refuse all of it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "event_log/log_store.h"
#include "event_log/read_ahead.h"
#include "event_log/reader.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "runtime/wait.h"

namespace shopbell::event_log {

namespace asio = boost::asio;

class Lanes {
 public:
  Lanes(asio::io_context& loop, pg::Pool& database, Reader reader, Uuid process,
        observe::Metrics& metrics);

  const std::string& reader() const { return reader_.name; }

  // After a heartbeat: these are ours, with the positions they had then.
  void hold(const std::vector<Held>& held);
  void tell(const Lag& lag);
  // A tick was made.
  void wake() { wake_.ring(); }

  // Until stop(). `lost` is called when the database knows better what is ours.
  asio::awaitable<void> run(std::function<void()> lost);
  // Returns when nothing is under way any more.
  asio::awaitable<void> stop();

 private:
  struct Cohort {
    std::vector<std::int16_t> groups;  // all at one position, the earliest
    Position position;
    std::optional<std::int64_t> no_further;  // where the next ones wait
  };
  // A page whose effect is being made.
  struct Turn {
    std::vector<Held> moved;   // with events, or to be told of all the same
    std::vector<Held> passed;  // without an effect, and not told yet
    Position to;
    std::size_t events = 0;
    bool tells_all = false;
  };
  // One whose effect elsewhere has begun.
  struct Outside {
    Turn turn;
    Begun begun;
  };
  Held* still_ours(const Held& one);
  Cohort slowest_groups() const;
  std::vector<Held> held_of(const Cohort& cohort) const;
  asio::awaitable<bool> step();
  asio::awaitable<bool> tell_progress(Cohort cohort);
  // The effect of these, in one transaction if possible; positions between them begin at `middle`.
  asio::awaitable<void> commit_or_bisect(std::vector<Held> lanes, std::span<const Entry> entries,
                                         Position middle, Position to);
  asio::awaitable<void> commit(std::vector<Held> lanes, std::span<const Entry> entries, Position to,
                               std::optional<std::string> objection = {});
  // Effects elsewhere begin while those of the page before still go on.
  asio::awaitable<void> begin(std::vector<Held> lanes, std::span<const Entry> entries,
                              Position middle, Position to);
  asio::awaitable<void> finish(std::optional<Outside> outside);
  Turn turn_of(std::span<const Held> lanes, std::span<const Entry> entries, Position to) const;
  // Behind the fence, which stands first in it.
  pg::Group effect_of(Turn& turn);
  asio::awaitable<void> save(const Turn& turn, pg::Group effect);
  void add_effect(std::span<const Entry> entries, pg::Group& effect) const;
  // Nothing is known any more of what is ours and what it has to read.
  void drop();
  void report(const std::string& trouble);

  pg::Pool& database_;
  const Reader reader_;
  const Uuid process_;
  std::map<std::int16_t, Held> held_;
  ReadAhead ahead_;
  std::optional<Stretch> rest_;         // of what was read, not done yet
  std::optional<Outside> outside_;      // the last that began
  const std::int64_t page_events_max_;  // events that go into one transaction
  std::int64_t page_;                   // the same, fewer while they take too long
  runtime::Bell wake_;
  runtime::Bell ended_;
  pg::Steady::time_point saved_at_;  // when progress without effects was told
  std::string trouble_;
  bool stopping_ = false;
  bool running_ = false;

  observe::Gauge& lag_events_;
  observe::Gauge& lag_seconds_;
  observe::Gauge& parked_waiting_;
  observe::Gauge& groups_;
  observe::Counter& events_;
  observe::Counter& batches_;
  observe::Counter& taken_;
  observe::Counter& fenced_;
  observe::Counter& parked_;
};

}  // namespace shopbell::event_log
