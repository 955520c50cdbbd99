// Lanes: one pipeline of a reader in this process. It reads the events of its lanes batch by batch,
// and commits each effect together with the new position. If another process has taken the lanes
// over, the fence refuses the whole transaction. Timers fire between batches, once the lanes have
// read a tick that is later than they are due.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "event_log/cohort.h"
#include "event_log/lane_timers.h"
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
  // Reads the groups whose number leaves the remainder `pipeline`.
  Lanes(asio::io_context& loop, pg::Pool& database, Reader reader, int pipeline, Uuid process,
        observe::Metrics& metrics);

  const std::string& reader() const { return reader_.name; }

  // Called after a heartbeat: the groups that this process holds, with their saved positions.
  void hold(const std::vector<Held>& held);
  void set_lag(const Lag& lag);
  // Called after each tick.
  void wake() { wake_.ring(); }

  // Runs until stop(). `lost` is called when the positions must be read from the database again.
  asio::awaitable<void> run(std::function<void()> lost);
  // Returns when nothing is in flight.
  asio::awaitable<void> stop();

 private:
  // A page that is being processed.
  struct Turn {
    std::vector<Held> moved;   // groups with events, or due to be saved
    std::vector<Held> passed;  // groups without events, saved later
    std::vector<Held> others;  // other groups, whose positions are repeated when all are saved
    Position to;
    std::size_t events = 0;
    bool saves_all = false;
  };
  // A page whose external effect has started.
  struct Outside {
    Turn turn;
    Begun begun;
  };
  Held* still_ours(const Held& one);
  std::set<std::int16_t> busy_groups() const;
  std::vector<Held> held_of(const Cohort& cohort) const;
  asio::awaitable<bool> step();
  asio::awaitable<bool> save_progress(Cohort cohort);
  // Commits the effect of `entries`, in one transaction if possible. Positions between entries are
  // derived from `middle`. Entries of groups that are not in `lanes` are left out. Returns the
  // groups that were left out because their rows are locked: they stay before `entries`.
  asio::awaitable<std::set<std::int16_t>> commit_or_bisect(std::vector<Held> lanes,
                                                           std::span<const Entry> entries,
                                                           Position middle, Position to);
  asio::awaitable<std::set<std::int16_t>> commit(std::vector<Held> lanes,
                                                 std::span<const Entry> entries, Position middle,
                                                 Position to,
                                                 std::optional<std::string> objection = {});
  // Starts an external effect while the effect of the previous page is still in progress.
  asio::awaitable<void> begin(std::vector<Held> lanes, std::span<const Entry> entries,
                              Position middle, Position to);
  asio::awaitable<void> finish(std::optional<Outside> outside);
  Turn turn_of(std::span<const Held> lanes, std::span<const Entry> entries, Position to) const;
  // Returns a group that begins with the fence, to which the caller adds the effects.
  pg::Group effect_of(Turn& turn);
  asio::awaitable<void> save(const Turn& turn, pg::Group effect);
  void add_effect(std::span<const Entry> entries, pg::Group& effect) const;
  // Forgets the lanes that this process holds, and the events read for them.
  void drop();
  void report(const std::string& trouble);

  // Functions in lanes_react.cc; those of turns are in lanes_turn.cc.
  asio::awaitable<bool> fire(Cohort cohort);
  // Returns the groups that were left out.
  asio::awaitable<std::set<std::int16_t>> fire_or_bisect(std::vector<Timer> timers,
                                                         Position position, Instant at);
  // Returns the groups that were left out because their rows are locked.
  asio::awaitable<std::set<std::int16_t>> react(Turn turn, Work work);
  asio::awaitable<void> transact(pg::Transaction& transaction, const Turn& turn, const Work& work,
                                 Reacted& reacted);
  void add_deletions(const Turn& turn, pg::Group& effect) const;
  void note_saved(const Turn& turn);
  void add_positions(const Turn& turn, pg::Group& effect) const;

  pg::Pool& database_;
  const Reader reader_;
  const int pipeline_;
  const Uuid process_;
  std::map<std::int16_t, Held> held_;
  LaneTimers timers_;
  std::map<std::int16_t, pg::Steady::time_point> busy_;      // groups to try again at that time
  std::optional<std::pair<std::int64_t, Instant>> tick_at_;  // the last known tick, and its time
  bool was_quiet_ = false;   // the last batch had nothing for this reader
  bool fires_next_ = false;  // timers and events take turns
  ReadAhead ahead_;
  std::optional<Stretch> rest_;         // events that were read, but not processed yet
  std::optional<Outside> outside_;      // the last external effect that started
  const std::int64_t page_events_max_;  // events per transaction
  std::int64_t page_;                   // current events per transaction, reduced after timeouts
  runtime::Bell wake_;
  runtime::Bell ended_;
  pg::Steady::time_point saved_at_;  // when positions without events were last saved
  std::string trouble_;
  bool stopping_ = false;
  bool running_ = false;

  observe::Gauge& lag_events_;
  observe::Gauge& lag_seconds_;
  observe::Gauge& parked_waiting_;
  observe::Gauge& groups_;
  observe::Gauge* timer_lag_;  // null without timers
  observe::Counter& events_;
  observe::Counter& batches_;
  observe::Counter& taken_;
  observe::Counter& fenced_;
  observe::Counter& parked_;
};

}  // namespace shopbell::event_log
