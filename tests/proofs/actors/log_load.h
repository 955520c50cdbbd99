// LogLoad: writers that send events to the processes of a fleet at a fixed rate, and the ledger of
// the responses. Most requests carry many custom events; some change a contact, whose events are
// numbered under its lock. A database session keeps transactions open, so that their events become
// visible after later ones.
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
  std::int64_t events = 0;  // minimum number of events to send
  std::size_t contacts = 0;
  std::size_t hot = 0;  // number of contacts that get half of all events
  std::size_t writers = 0;
  std::size_t lines = 0;        // number of events per request
  std::int64_t per_second = 0;  // number of events per second, of all writers together
};

// An event as its writer knows it. Times are positions in one sequence of all sends and responses:
// an event acknowledged before another began must be read before it.
struct LedgerEvent {
  Uuid uid;
  std::size_t contact = 0;
  std::size_t request = 0;
  std::size_t line = 0;
  std::int64_t began = 0;
  std::int64_t acknowledged = 0;  // 0 if not acknowledged; the event may then exist or not
};

inline std::string log_contact(std::size_t number) { return std::format("log-{}", number); }

// Creates the contacts of a plan; throws on failure.
void create_contacts(const Fleet& fleet, const std::string& key, std::size_t count);
// Creates contacts of the same names that are subscribed to e-mail.
void create_subscribers(const Fleet& fleet, const std::string& key, std::size_t count);

class LogLoad {
 public:
  // Starts the load. The contacts and the event type `ring` must exist.
  LogLoad(const Fleet& fleet, const std::string& key, const std::string& admin_url,
          const LogPlan& plan, std::uint64_t seed);
  ~LogLoad();
  LogLoad(const LogLoad&) = delete;
  LogLoad& operator=(const LogLoad&) = delete;

  // While on, no writer starts a new request.
  void hold(bool on) { held_ = on; }
  // Stops once the planned number of events is reached. Other threads may read the members below
  // only afterwards, except the atomic counters.
  void stop();

  std::vector<LedgerEvent> ledger() const;

  std::atomic<std::int64_t> acknowledged = 0;  // number of acknowledged custom events
  std::atomic<std::int64_t> changes = 0;       // number of acknowledged contact changes
  std::int64_t retried = 0;
  std::int64_t stuck = 0;
  std::map<std::string, int> others;  // number of unexpected responses, by status and code

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
  std::vector<LedgerEvent> told_;  // events of the writers, filled on their thread
  std::size_t requests_ = 0;
  std::vector<LedgerEvent> slow_;  // events of the slow session, filled on its own thread
  std::jthread slow_thread_;
  std::jthread thread_;
};

}  // namespace shopbell::proofs
