// MemoryStore: the lanes' store over the tables of a World. It is held to the same contract tests
// as the store over PostgreSQL. What a transaction writes takes effect when it commits.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "automation/lane_store.h"
#include "event_log/log_store.h"
#include "simulator/world.h"

namespace shopbell::simulator {

using event_log::Held;

// What one committed transaction was given, and what it decided.
struct Journal {
  std::vector<Entry> entries;  // as they were read: an erasure may have emptied them since
  event_log::Work work;
  std::int64_t interest = 0;                    // the version of the definitions when it began
  std::map<ContactKey, engine::Data> contacts;  // as they were read
  std::map<ContactKey, Uuid> merged;
  std::map<Uuid, engine::CouponAnswer> coupons;
  std::map<Uuid, bool> withdrawn;
  // By contact, kind and the event before which they end.
  std::map<std::tuple<ContactKey, std::string, std::int64_t>, engine::History> histories;
  // Contacts that were erased after they were read, and before the events that started their runs.
  std::set<ContactKey> emptied;
  std::set<std::pair<Uuid, Instant>> fired;  // armed timers that fired: run and due time
  automation::Writes writes;
};

// Faults of the surroundings, which the guards of the service must notice.
struct Faults {
  bool misses_enrolments = false;  // a read leaves out enrolments
  bool repeats_messages = false;   // a statement that plans messages is sent twice
};

struct StoreSetting {
  int process = 0;
  std::vector<Held> held;  // the lanes of the transaction, with their saved positions
  Mechanism removed = Mechanism::none;
  Faults faults;
  std::function<void(std::string_view statement)> before;  // called before each statement
  // Called with the events of each history.
  std::function<void(const Journal&, const automation::HistoryQuestion&,
                     const std::set<std::int64_t>& events)>
      looked_back = {};
};

class MemoryStore : public automation::LaneStore {
 public:
  MemoryStore(World& world, StoreSetting setting, event_log::Work work);
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;
  // Rolls back what was not committed.
  ~MemoryStore() override;

  boost::asio::awaitable<automation::Loaded> load(automation::Wanted wanted) override;
  boost::asio::awaitable<automation::Answers> look_up(automation::Questions questions) override;
  boost::asio::awaitable<std::vector<ContactKey>> lock(std::set<ContactKey> contacts) override;
  boost::asio::awaitable<void> write(automation::Writes writes) override;

  // Makes the writes take effect, with the new position of the lanes. Throws Refused.
  const Journal& commit(const Position& to);

 private:
  void fence();
  engine::History history_of(const automation::HistoryQuestion& question);
  bool precedes(const LogEvent& one, const automation::Before& before) const;
  engine::CouponAnswer claim(const automation::CouponQuestion& question);
  bool withdraw(const automation::WithdrawQuestion& question);
  engine::Data trigger_of(const automation::EventKey& key);
  void require_unchanged(const Position& to) const;
  bool has_stale_runs() const;
  bool has_lost_enrolments() const;

  World& world_;
  const StoreSetting setting_;
  Journal journal_;
  std::set<std::int16_t> fenced_;
  std::set<ContactKey> locked_;
  std::map<ContactKey, std::int64_t> changes_;  // of the runs of contacts, when they were read
  std::vector<std::pair<Uuid, std::string>> withdrawn_;       // messages, and the reasons
  std::vector<std::pair<std::string, std::size_t>> claimed_;  // codes: set and index
};

// Applies the writes of a transaction to the tables (memory_writes.cc).
void apply(const automation::Writes& writes, World& world);
// The run as a row holds it: the event that started it is kept by its key alone.
automation::StoredRun as_stored(automation::StoredRun row);

}  // namespace shopbell::simulator
