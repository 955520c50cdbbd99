#include <atomic>
#include <deque>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/proofs/event_order.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;

constexpr std::size_t kHotWriters = 32;
constexpr std::size_t kHotAtOnce = 16;
constexpr std::size_t kStrangers = 16;

// Simulates 32 clients with up to 16 writes to one contact in flight, on their own thread.
class HotLoad {
 public:
  HotLoad(ProcessPair& pair, const std::string& key) {
    for (std::size_t i = 0; i < kHotWriters; ++i) clients_.emplace_back(loop_, pair, key);
    for (std::size_t i = 0; i < kHotAtOnce; ++i) asio::co_spawn(loop_, write_on(i), asio::detached);
    thread_ = std::jthread{[this] { loop_.run(); }};
  }
  ~HotLoad() {
    stopping_ = true;
    thread_.join();
  }

  void run(bool on) { running_ = on; }
  // Sets the pause of a writer between two writes.
  void rest(std::chrono::milliseconds rest) { rest_ms_ = rest.count(); }
  // Resets the counters of writes and of waiting time.
  void forget() { written_ = waited_us_ = 0; }
  std::int64_t written() const { return written_; }
  std::int64_t waited_us() const { return waited_us_; }
  std::int64_t unanswered() const { return unanswered_; }

 private:
  asio::awaitable<void> write_on(std::size_t writer) {
    for (std::size_t turn = writer; !stopping_; turn = (turn + kHotAtOnce) % kHotWriters) {
      while (!running_ && !stopping_) co_await runtime::sleep_for(2ms);
      if (stopping_) break;
      const auto since = Steady::now();
      const Answer answer = co_await clients_[turn].send(
          turn % 2, {.method = "PATCH",
                     .path = "/contacts/external-id/hottest?createContact=true",
                     .body = R"({"points":{"add":1}})"});
      if (!succeeded(answer)) ++unanswered_;
      ++written_;
      waited_us_ +=
          std::chrono::duration_cast<std::chrono::microseconds>(Steady::now() - since).count();
      if (rest_ms_ > 0) co_await runtime::sleep_for(std::chrono::milliseconds{rest_ms_});
    }
  }

  asio::io_context loop_;
  std::deque<PairClient> clients_;
  std::atomic<bool> running_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> rest_ms_ = 0;
  std::atomic<std::int64_t> written_ = 0;
  std::atomic<std::int64_t> waited_us_ = 0;
  std::atomic<std::int64_t> unanswered_ = 0;
  std::jthread thread_;
};

// A database session that locks the contact half of the time, like a slow transaction. Requests
// pile up without using CPU, so that the other clients' latency cannot be due to a busy CPU.
class Holder {
 public:
  explicit Holder(const std::string& admin_url) : database_{admin_url} {
    thread_ = std::jthread{[this](const std::stop_token& stopping) {
      while (!stopping.stop_requested()) {
        if (running_) hold();
        std::this_thread::sleep_for(kHeld);
      }
    }};
  }

  void run(bool on) { running_ = on; }

 private:
  static constexpr auto kHeld = 40ms;

  void hold() {
    database_.run("BEGIN; SELECT FROM contact WHERE external_id = 'hottest' FOR UPDATE");
    std::this_thread::sleep_for(kHeld);
    database_.run("COMMIT");
  }

  pg::Script database_;
  std::atomic<bool> running_ = false;
  std::jthread thread_;
};

// The kinds of neighbours: in the same account as the hot contact, or in another.
constexpr std::size_t kSameAccount = 0;
constexpr std::size_t kOtherAccount = 1;

// Returns neighbours of both kinds on both processes.
std::vector<Neighbour> strangers_of(const std::string& key, const std::string& other_key) {
  std::vector<Neighbour> strangers;
  for (std::size_t i = 0; i < kStrangers; ++i) {
    const bool same = i / 2 % 2 == 0;
    strangers.push_back({same ? key : other_key, same ? kSameAccount : kOtherAccount});
  }
  return strangers;
}

// Finds the highest rate that leaves CPU time for others.
void find_pace(HotLoad& hot, Neighbours& strangers, const std::function<void(bool)>& noise) {
  for (auto rest = 0ms; rest < 100ms; rest = rest * 3 / 2 + 1ms) {
    hot.rest(rest);
    noise(true);
    const double busy = cpu_percent_during([&] { strangers.measure(2s); });
    noise(false);
    if (busy < kMostCpuPercent - 4) return;
  }
}

}  // namespace

HotFigures measure_neighbours(const Setting& setting, const testing::Installation& installation,
                              ProcessPair& pair, const std::string& key,
                              const std::string& other_key) {
  HotLoad hot{pair, key};
  Holder holder{installation.admin_url()};
  const auto make_noise = [&](bool on) {
    hot.run(on);
    holder.run(on);
  };
  Neighbours strangers{pair, strangers_of(key, other_key)};
  strangers.measure(500ms);  // warm-up: creates the contacts and opens the connections
  if (!setting.quick) find_pace(hot, strangers, make_noise);
  hot.forget();
  const NoiseFigures noise =
      compare_rounds(setting, "event-order: hot contact", strangers, make_noise);
  return {.same_account = noise.kinds[kSameAccount],
          .other_account = noise.kinds[kOtherAccount],
          .cpu_percent = noise.cpu_percent,
          .hot_per_second = static_cast<double>(hot.written()) / noise.loud_seconds,
          .in_flight = static_cast<double>(hot.waited_us()) / 1e6 / noise.loud_seconds,
          .unanswered = hot.unanswered() + strangers.unanswered()};
}

}  // namespace shopbell::proofs
