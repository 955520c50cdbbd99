// LogLoad: writers that tell the processes of a fleet of events, at a fixed pace, and the ledger of
// what they were told. Most events are custom ones, many to a request; some requests change a
// contact, whose events are numbered under its lock; and somebody at the database keeps
// transactions open, so that events become visible long after later ones.
#pragma once

#include <atomic>
#include <deque>
#include <format>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "base/uuid.h"
#include "runtime/wait.h"
#include "tests/proofs/actors/fleet.h"

namespace shopbell::proofs {

struct LogPlan {
  std::int64_t events = 0;  // at least
  std::size_t contacts = 0;
  std::size_t hot = 0;  // of the contacts; they have half of the events
  std::size_t writers = 0;
  std::size_t lines = 0;        // events of a request
  std::int64_t per_second = 0;  // events of all writers together
};

// An event as its writer knows it. Times are places in the order of all that the writers did and
// heard: what was acknowledged before another began has to be read before it.
struct LedgerEvent {
  Uuid uid;
  std::size_t contact = 0;
  std::size_t request = 0;
  std::size_t line = 0;
  std::int64_t began = 0;
  std::int64_t acknowledged = 0;  // 0: nobody said so, and it may be there or not
};

inline std::string log_contact(std::size_t number) { return std::format("log-{}", number); }

// Makes the contacts of a plan; throws when it cannot.
void create_contacts(const Fleet& fleet, const std::string& key, std::size_t count);

class LogLoad {
 public:
  // The contacts and the event type `ring` are there.
  LogLoad(const Fleet& fleet, const std::string& key, const std::string& admin_url,
          const LogPlan& plan, std::uint64_t seed);
  ~LogLoad();
  LogLoad(const LogLoad&) = delete;
  LogLoad& operator=(const LogLoad&) = delete;

  // Nobody begins anything while it holds.
  void hold(bool on) { held_ = on; }
  // Ends with the events of the plan, or those of now if there are more. Everything below it but
  // the counters is for afterwards.
  void stop();

  std::vector<LedgerEvent> ledger() const;

  std::atomic<std::int64_t> acknowledged = 0;  // custom events
  std::atomic<std::int64_t> changes = 0;       // of contacts, acknowledged
  std::int64_t retried = 0;
  std::int64_t stuck = 0;
  std::map<std::string, int> others;  // answers that nobody should get

 private:
  struct Writer {
    FleetClient client;
    std::mt19937_64 random;
    std::size_t number = 0;
  };

  boost::asio::awaitable<void> write_on(Writer& writer);
  boost::asio::awaitable<void> tell(Writer& writer, std::size_t lines);
  boost::asio::awaitable<void> change(Writer& writer);
  boost::asio::awaitable<std::optional<testing::Answer>> insist(Writer& writer, testing::Ask ask);
  std::size_t pick(std::mt19937_64& random) const;
  bool over() const { return ending_ && acknowledged >= plan_.events; }
  void write_slowly(const std::string& admin_url, const std::stop_token& stopping);

  const LogPlan plan_;
  const std::uint64_t seed_;
  std::atomic<std::int64_t> clock_ = 0;
  std::atomic<bool> held_ = false;
  std::atomic<bool> ending_ = false;
  std::atomic<std::size_t> writing_;
  boost::asio::io_context loop_;
  std::deque<Writer> writers_;
  std::vector<LedgerEvent> told_;  // by the writers, on their thread
  std::size_t requests_ = 0;
  std::vector<LedgerEvent> slow_;  // by the one at the database, on another
  std::jthread slow_thread_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
