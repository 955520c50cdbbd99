#include <algorithm>
#include <deque>
#include <format>
#include <fstream>
#include <sstream>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "pg/script.h"
#include "runtime/wait.h"
#include "tests/proofs/event_order.h"

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;

constexpr std::size_t kHotWriters = 32;
constexpr std::size_t kHotAtOnce = 16;
constexpr std::size_t kStrangers = 16;
constexpr auto kBetweenRequests = 10ms;  // of all strangers together
// Above it everybody waits for a processor, whatever the contact does.
constexpr double kMostCpuPercent = 60;

double milliseconds(Steady::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

bool succeeded(const Answer& answer) {
  return answer.outcome == Answer::Outcome::answered && answer.status / 100 == 2;
}

// 32 clients of which up to 16 at a time have a write of the one contact under way, on a thread of
// their own.
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
  // Between two writes of a hand.
  void rest(std::chrono::milliseconds rest) { rest_ms_ = rest.count(); }
  // What it did until now does not count.
  void forget() { written_ = waited_us_ = 0; }
  std::int64_t written() const { return written_; }
  std::int64_t waited_us() const { return waited_us_; }
  std::int64_t unanswered() const { return unanswered_; }

 private:
  asio::awaitable<void> write_on(std::size_t hand) {
    for (std::size_t turn = hand; !stopping_; turn = (turn + kHotAtOnce) % kHotWriters) {
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

// Somebody at the database who locks the contact half of the time, as a slow transaction does: its
// callers pile up without using a processor, which the strangers could otherwise be said to wait
// for.
class Holder {
 public:
  explicit Holder(const std::string& admin_url) : database_{admin_url} {
    thread_ = std::jthread{[this](std::stop_token stopping) {
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

struct Latencies {
  std::vector<double> same_account_ms;
  std::vector<double> other_account_ms;
};

double p99(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() * 99 / 100];
}

// Everybody has a contact of their own, which they write to and read by turns, at times that do not
// depend on how long an answer takes.
class Strangers {
 public:
  Strangers(ProcessPair& pair, const std::string& key, const std::string& other_key) {
    for (std::size_t i = 0; i < kStrangers; ++i)
      clients_.emplace_back(loop_, pair, is_of_same_account(i) ? key : other_key);
  }

  Latencies measure(Steady::duration length) {
    Latencies latencies;
    const auto from = Steady::now() + 50ms;
    loop_.restart();
    for (std::size_t i = 0; i < kStrangers; ++i)
      asio::co_spawn(loop_, ask_on(i, from, from + length, latencies), asio::detached);
    loop_.run();
    return latencies;
  }

  std::int64_t unanswered = 0;

 private:
  // Both kinds at both processes.
  static bool is_of_same_account(std::size_t stranger) { return stranger / 2 % 2 == 0; }

  static Ask ask_of(std::size_t stranger, std::size_t turn) {
    const std::string path = std::format("/contacts/external-id/stranger-{}", stranger);
    if (turn % 2 == 1) return {.path = path};
    return {
        .method = "PATCH", .path = path + "?createContact=true", .body = R"({"points":{"add":1}})"};
  }

  asio::awaitable<void> ask_on(std::size_t stranger, Steady::time_point from,
                               Steady::time_point until, Latencies& latencies) {
    auto& kept =
        is_of_same_account(stranger) ? latencies.same_account_ms : latencies.other_account_ms;
    auto due = from + stranger * kBetweenRequests;
    for (std::size_t turn = 0; due < until; ++turn, due += kStrangers * kBetweenRequests) {
      const auto now = Steady::now();
      if (now < due) co_await runtime::sleep_for(due - now);
      const Answer answer = co_await clients_[stranger].send(stranger % 2, ask_of(stranger, turn));
      if (!succeeded(answer)) ++unanswered;
      kept.push_back(milliseconds(Steady::now() - due));
    }
  }

  asio::io_context loop_;
  std::deque<PairClient> clients_;
};

// Since the machine started, in the kernel's own units.
struct CpuTime {
  double busy = 0;
  double all = 0;
};

CpuTime cpu_time() {
  std::istringstream line{testing::read_file("/proc/stat")};
  std::string name;
  line >> name;
  CpuTime time;
  double value = 0;
  for (int column = 0; column < 8 && line >> value; ++column) {
    time.all += value;
    const bool idle = column == 3 || column == 4;
    if (!idle) time.busy += value;
  }
  return time;
}

double percent_busy(const CpuTime& before, const CpuTime& after) {
  return (after.busy - before.busy) / (after.all - before.all) * 100;
}

struct Rounds {
  std::vector<double> same_account_ms;
  std::vector<double> other_account_ms;

  void add(const Latencies& latencies) {
    same_account_ms.push_back(p99(latencies.same_account_ms));
    other_account_ms.push_back(p99(latencies.other_account_ms));
  }
};

// As hot as leaves the processors room, and no hotter.
void find_pace(HotLoad& hot, Holder& holder, Strangers& strangers) {
  holder.run(true);
  for (auto rest = 0ms; rest < 100ms; rest = rest * 3 / 2 + 1ms) {
    hot.rest(rest);
    hot.run(true);
    const CpuTime before = cpu_time();
    strangers.measure(2s);
    const CpuTime after = cpu_time();
    hot.run(false);
    if (percent_busy(before, after) < kMostCpuPercent - 4) break;
  }
  holder.run(false);
}

}  // namespace

HotFigures measure_neighbours(const Setting& setting, const testing::Installation& installation,
                              ProcessPair& pair, const std::string& key,
                              const std::string& other_key) {
  const int rounds = setting.quick ? 1 : 5;
  const auto length = setting.quick ? 1s : 10s;
  HotLoad hot{pair, key};
  Holder holder{installation.admin_url()};
  Strangers strangers{pair, key, other_key};
  strangers.measure(500ms);  // makes the contacts, opens the connections
  if (!setting.quick) find_pace(hot, holder, strangers);
  hot.forget();
  Rounds quiet;
  Rounds loud;
  std::vector<double> cpu;
  double hot_seconds = 0;
  for (int i = 0; i < rounds; ++i) {
    progress(std::format("event-order: hot contact, round {}/{}", i + 1, rounds));
    quiet.add(strangers.measure(length));
    hot.run(true);
    holder.run(true);
    std::this_thread::sleep_for(200ms);
    const auto since = Steady::now();
    const CpuTime before = cpu_time();
    loud.add(strangers.measure(length));
    const CpuTime after = cpu_time();
    cpu.push_back(percent_busy(before, after));
    hot.run(false);
    holder.run(false);
    hot_seconds += 0.2 + milliseconds(Steady::now() - since) / 1000;
    std::this_thread::sleep_for(200ms);
  }
  return {.same_account = {median(quiet.same_account_ms), median(loud.same_account_ms)},
          .other_account = {median(quiet.other_account_ms), median(loud.other_account_ms)},
          .cpu_percent = median(cpu),
          .hot_per_second = static_cast<double>(hot.written()) / hot_seconds,
          .in_flight = static_cast<double>(hot.waited_us()) / 1e6 / hot_seconds,
          .unanswered = hot.unanswered() + strangers.unanswered};
}

}  // namespace shopbell::proofs
