// One account sends a hundred times its rate limit while others do ordinary work. It gets 429 for
// each excess request and still gets its quota; the other accounts' latency does not change.
#include <atomic>
#include <deque>
#include <format>
#include <map>
#include <mutex>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "tests/proofs/actors/neighbours.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;

// The account's rate limit. It is low, so that a hundred times the rate overloads the account, yet
// a small machine has CPU time left for the measured clients.
constexpr int kPerSecond = 20;
constexpr int kBurst = 20;
constexpr int kTimesTooMany = 100;

constexpr std::size_t kFloodConnections = 16;  // connections of the flood
constexpr std::size_t kNeighbours = 16;

// Sends the flood on its own thread, on a schedule that does not depend on response times.
class Flood {
 public:
  Flood(ProcessPair& pair, const std::string& key) {
    for (std::size_t i = 0; i < kFloodConnections; ++i) clients_.emplace_back(loop_, pair, key);
    for (std::size_t i = 0; i < kFloodConnections; ++i)
      asio::co_spawn(loop_, ask_on(i), asio::detached);
    thread_ = std::jthread{[this] { loop_.run(); }};
  }
  ~Flood() {
    stopping_ = true;
    thread_.join();
  }

  void run(bool on) { running_ = on; }

  std::int64_t granted() const { return granted_; }
  std::int64_t limited() const { return limited_; }
  std::map<std::string, int> others() const {
    const std::scoped_lock lock{mutex_};
    return others_;
  }

 private:
  static constexpr std::chrono::microseconds kBetweenRequests{1'000'000 /
                                                              (kPerSecond * kTimesTooMany)};
  static constexpr Steady::duration kBetweenOwn =
      kBetweenRequests * std::int64_t{kFloodConnections};

  // Returns a request of the flood. Rejected requests, reads or writes, must not reach the
  // database.
  static Ask ask_of(std::size_t connection, std::size_t turn) {
    if (turn % 2 == 1) return {.path = "/store/"};
    return {.method = "PATCH",
            .path = std::format("/contacts/external-id/loud-{}?createContact=true", connection),
            .body = R"({"points":{"add":1}})"};
  }

  asio::awaitable<void> ask_on(std::size_t connection) {
    Steady::time_point due = Steady::now();
    for (std::size_t turn = 0; !stopping_; ++turn) {
      if (!running_) {
        // The interval is long, so that waiting clients cause no load themselves.
        co_await runtime::sleep_for(20ms);
        due = Steady::now() + kBetweenRequests * static_cast<std::int64_t>(connection);
        continue;
      }
      const auto now = Steady::now();
      if (now < due) co_await runtime::sleep_for(due - now);
      due += kBetweenOwn;
      count(co_await clients_[connection].send(connection % 2, ask_of(connection, turn)));
    }
  }

  void count(const Answer& answer) {
    if (succeeded(answer)) {
      ++granted_;
    } else if (answer.status == 429 && !answer.header("Retry-After").empty()) {
      ++limited_;
    } else {
      const std::scoped_lock lock{mutex_};
      ++others_[answer.outcome == Answer::Outcome::answered
                    ? std::format("{} {}", answer.status, answer.body.substr(0, 100))
                    : "no answer"];
    }
  }

  asio::io_context loop_;
  std::deque<PairClient> clients_;
  std::atomic<bool> running_ = false;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> granted_ = 0;
  std::atomic<std::int64_t> limited_ = 0;
  mutable std::mutex mutex_;  // guards others_
  std::map<std::string, int> others_;
  std::jthread thread_;
};

// Creates clients of several accounts with the default rate limit; each account uses both
// processes.
std::vector<Neighbour> make_neighbours(testing::Installation& installation, int accounts) {
  std::vector<std::string> keys;
  for (int i = 0; i < accounts; ++i)
    keys.push_back(installation.create_key(std::format("Neighbour {}", i + 1)));
  std::vector<Neighbour> neighbours;
  for (std::size_t i = 0; i < kNeighbours; ++i)
    neighbours.push_back({.key = keys[i / 2 % keys.size()]});
  return neighbours;
}

// Returns the maximum that two processes may grant: the rate plus 10 %. Each loud round adds twice
// the burst and one second's rate, before the processes have synchronised.
double most_granted(const NoiseFigures& noise) {
  return noise.loud_seconds * kPerSecond * 1.10 + 2.0 * noise.rounds * (kBurst + kPerSecond);
}

// Returns the minimum that two processes must grant together: 90 % of the quota.
double least_granted(const NoiseFigures& noise) { return noise.loud_seconds * kPerSecond * 0.9; }

std::string figures_of(const NoiseFigures& noise, const Flood& flood, const Neighbours& neighbours,
                       int accounts, bool judged) {
  const auto granted = static_cast<double>(flood.granted());
  const double sent = granted + static_cast<double>(flood.limited());
  const NeighbourFigures& p99 = noise.kinds.front();
  std::string text = std::format(
      "2 processes, one account of {} requests/s sends {:.0f}/s: {} granted ({:.1f}/s), {} × 429, "
      "{} kinds of unexpected response; {} others at 100/s, {} rounds each, CPU {:.0f} %: p99 "
      "{:.1f} → "
      "{:.1f} ms, {} unanswered{}",
      kPerSecond, sent / noise.loud_seconds, flood.granted(), granted / noise.loud_seconds,
      flood.limited(), flood.others().size(), accounts, noise.rounds, noise.cpu_percent,
      p99.quiet_p99_ms, p99.loud_p99_ms, neighbours.unanswered(),
      judged ? "" : " (p99 not judged)");
  for (const auto& [what, times] : flood.others()) text += std::format("; {} × {}", times, what);
  return text;
}

}  // namespace

Verdict noisy_neighbour(const Setting& setting) {
  const int accounts = setting.quick ? 2 : 4;
  testing::Installation installation{setting.checkout, setting.binary};
  const std::string key = installation.create_limited_key("Loud", kPerSecond, kBurst);
  const std::vector<Neighbour> quiet_ones = make_neighbours(installation, accounts);
  ProcessPair pair{installation};
  Flood flood{pair, key};
  Neighbours neighbours{pair, quiet_ones};
  neighbours.measure(500ms);  // warm-up: creates the contacts and opens the connections
  const NoiseFigures noise =
      compare_rounds(setting, "noisy-neighbour", neighbours, [&](bool on) { flood.run(on); });
  std::this_thread::sleep_for(500ms);  // wait for the last responses

  const auto granted = static_cast<double>(flood.granted());
  const double sent = granted + static_cast<double>(flood.limited());
  const bool judged = judges_times(setting);
  const bool limited = flood.limited() > 0 && granted > 0 && granted <= most_granted(noise) &&
                       flood.others().empty();
  // A run proves nothing if fewer requests are sent than planned or the CPU is used up.
  const bool flooded = sent >= noise.loud_seconds * kPerSecond * kTimesTooMany * 0.95 &&
                       noise.cpu_percent < kMostCpuPercent;
  const bool undisturbed = noise.kinds.front().good() && granted >= least_granted(noise);
  const bool holds = limited && neighbours.unanswered() == 0 && pair.alive() &&
                     (!judged || (flooded && undisturbed));
  std::string figures = figures_of(noise, flood, neighbours, accounts, judged);
  if (!holds) figures += std::format("; logs in {}", installation.keep_logs().string());
  return {.holds = holds, .figures = std::move(figures)};
}

}  // namespace shopbell::proofs
