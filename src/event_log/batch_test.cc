#include "event_log/batch.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace shopbell::event_log {
namespace {

TEST(TickSnapshotTest, parses_snapshots_of_postgresql) {
  const auto plain = Snapshot::parse("10:20:");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->xmin, 10U);
  EXPECT_EQ(plain->xmax, 20U);
  EXPECT_TRUE(plain->pending.empty());
  const auto busy = Snapshot::parse("10:20:10,14");
  ASSERT_TRUE(busy);
  EXPECT_TRUE(busy->shows(9));
  EXPECT_FALSE(busy->shows(10));
  EXPECT_TRUE(busy->shows(13));
  EXPECT_FALSE(busy->shows(14));
  EXPECT_TRUE(busy->shows(19));
  EXPECT_FALSE(busy->shows(20));
  for (const char* wrong : {"", "10", "10:20", "a:b:", "10:20:x", "10:20:1,", "10:20:1,,2"})
    EXPECT_FALSE(Snapshot::parse(wrong)) << wrong;
}

// A simulated database. Transactions begin, get a number later, draw ids for events, and commit or
// fail, in any order, while ticks are made. The database is restored to an earlier moment on
// another timeline, or loaded into another server, where transaction numbers start over.
class History {
 public:
  explicit History(std::uint64_t seed) : random_{seed} { begin_epoch(); }

  void run(int moves) {
    for (int i = 0; i < moves; ++i) {
      switch (any(0, 9)) {
        case 0:
        case 1:
          running_.push_back({});
          break;
        case 2:
        case 3:
        case 4:
          if (!running_.empty()) write(running_[any(0, running_.size() - 1)]);
          break;
        case 5:
        case 6:
          if (!running_.empty()) end(any(0, running_.size() - 1), any(0, 9) != 0);
          break;
        case 7:
        case 8:
          tick();
          break;
        default:
          if (any(0, 9) == 0) kept_ = std::make_shared<History>(*this);
          if (any(0, 19) == 0) restore(any(0, 1) == 0);
      }
    }
    while (!running_.empty()) end(0, true);
    tick();
  }

  // Checks that every event is in exactly one batch, for any choice of ticks by the reader.
  ::testing::AssertionResult each_once() {
    std::map<std::int64_t, int> seen;
    for (std::size_t at = 0; at + 1 < ticks_.size();) {
      std::size_t next = at + 1 + any(0, 3);  // a lagging reader takes several ticks as one
      next = std::min(next, ticks_.size() - 1);
      while (ticks_[next].epoch != ticks_[at].epoch && next > at + 1) --next;
      if (const auto batch = batch_between(ticks_[at], ticks_[next])) {
        for (const auto& event : events_) {
          // A reader sees every stored row, including rows of a later epoch.
          if (batch->holds(event.xid, event.id)) ++seen[event.serial];
        }
      }
      at = next;
    }
    for (const auto& event : events_) {
      if (seen[event.serial] != 1)
        return ::testing::AssertionFailure()
               << "event " << event.id << " of transaction " << event.xid << " was in "
               << seen[event.serial] << " batches";
    }
    return ::testing::AssertionSuccess();
  }

  // Checks that an event acknowledged before another one began comes first.
  ::testing::AssertionResult in_order() const {
    std::vector<std::size_t> place;  // first tick that shows the event
    for (const auto& event : events_) {
      const auto shows = [&](const Tick& tick) {
        return tick.epoch > event.epoch || (tick.epoch == event.epoch && event.id <= tick.last_id &&
                                            (tick.ends || tick.shows.shows(event.xid)));
      };
      place.push_back(std::ranges::find_if(ticks_, shows) - ticks_.begin());
    }
    for (std::size_t a = 0; a < events_.size(); ++a) {
      for (std::size_t b = 0; b < events_.size(); ++b) {
        if (events_[a].committed >= events_[b].drawn) continue;  // not acknowledged before b began
        if (std::pair{place[a], events_[a].id} > std::pair{place[b], events_[b].id})
          return ::testing::AssertionFailure()
                 << "event " << events_[a].id << " came after " << events_[b].id;
      }
    }
    return ::testing::AssertionSuccess();
  }

  std::size_t size() const { return events_.size(); }

 private:
  struct Event {
    Xid xid = 0;
    std::int64_t id = 0;
    std::int64_t serial = 0;
    std::int64_t epoch = 0;
    int drawn = 0;
    int committed = 0;
  };
  struct Running {
    std::optional<Xid> xid;
    std::vector<Event> events;
  };

  std::size_t any(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>{least, most}(random_);
  }

  void write(Running& transaction) {
    ++now_;
    // The id is drawn before the transaction gets its number, if it has none.
    Event event{.id = ++last_id_, .serial = ++serial_, .epoch = epoch_, .drawn = now_};
    if (any(0, 3) == 0) number(running_[any(0, running_.size() - 1)]);
    number(transaction);
    event.xid = *transaction.xid;
    transaction.events.push_back(event);
  }

  void number(Running& transaction) {
    if (!transaction.xid) transaction.xid = next_xid_++;
  }

  void end(std::size_t which, bool commits) {
    ++now_;
    Running transaction = std::move(running_[which]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(which));
    if (transaction.xid) latest_ended_ = std::max(latest_ended_, *transaction.xid);
    if (!commits) return;
    for (auto& event : transaction.events) {
      event.committed = now_;
      events_.push_back(event);
    }
  }

  Snapshot snapshot() const {
    Snapshot shown{.xmin = latest_ended_ + 1, .xmax = latest_ended_ + 1};
    for (const auto& transaction : running_) {
      if (!transaction.xid || *transaction.xid >= shown.xmax) continue;
      shown.pending.push_back(*transaction.xid);
      shown.xmin = std::min(shown.xmin, *transaction.xid);
    }
    std::ranges::sort(shown.pending);
    return shown;
  }

  Tick make(bool ends) const {
    return {.tick = static_cast<std::int64_t>(ticks_.size()),
            .epoch = epoch_,
            .shows = snapshot(),
            .ends = ends,
            .last_id = last_id_,
            .start_id = start_id_,
            .since = {}};
  }

  void tick() { ticks_.push_back(make(false)); }

  void begin_epoch() {
    ++epoch_;
    start_id_ = last_id_;
    tick();
  }

  // Restores the backup; transactions in flight are lost. On another timeline of the same server
  // transaction numbers continue; on a server loaded from a dump they are arbitrary.
  void restore(bool loaded) {
    if (kept_) {
      const auto copy = std::move(kept_);
      running_.clear();
      events_ = copy->events_;
      ticks_ = copy->ticks_;
      last_id_ = copy->last_id_;
      start_id_ = copy->start_id_;
      epoch_ = copy->epoch_;
      next_xid_ = copy->next_xid_;
    }
    running_.clear();
    if (loaded) next_xid_ = 3 + any(0, 50);
    latest_ended_ = next_xid_ - 1;
    // Events may be written before the first process detects the new epoch.
    for (std::size_t i = any(0, 2); i > 0; --i) {
      running_.push_back({});
      write(running_.back());
      end(running_.size() - 1, true);
    }
    ticks_.push_back(make(true));  // no transaction is in flight
    begin_epoch();
  }

  std::mt19937_64 random_;
  std::shared_ptr<History> kept_;  // the last backup
  std::vector<Running> running_;
  std::vector<Event> events_;
  std::vector<Tick> ticks_;
  Xid next_xid_ = 3;
  Xid latest_ended_ = 2;
  std::int64_t last_id_ = 0;
  std::int64_t start_id_ = 0;
  std::int64_t serial_ = 0;
  std::int64_t epoch_ = 0;
  int now_ = 0;
};

TEST(BatchTest, every_event_is_in_exactly_one_batch_and_in_order) {
  const char* given = std::getenv("SEED");
  std::uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device{}();
  std::size_t events = 0;
  for (int history = 0; history < 10'000; ++history, ++seed) {
    History one{seed};
    one.run(120);
    ASSERT_TRUE(one.each_once()) << "SEED=" << seed;
    ASSERT_TRUE(one.in_order()) << "SEED=" << seed;
    events += one.size();
  }
  EXPECT_GT(events, 100'000U);
}

}  // namespace
}  // namespace shopbell::event_log
