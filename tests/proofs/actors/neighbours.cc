#include "tests/proofs/actors/neighbours.h"

#include <format>
#include <sstream>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace shopbell::proofs {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using runtime::Steady;
using testing::Answer;
using testing::Ask;

// Interval between two requests, of all neighbours together.
constexpr auto kBetweenRequests = 10ms;

double milliseconds(Steady::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

double p99(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() * 99 / 100];
}

Ask ask_of(std::size_t neighbour, std::size_t turn) {
  const std::string path = std::format("/contacts/external-id/neighbour-{}", neighbour);
  if (turn % 2 == 1) return {.path = path};
  return {
      .method = "PATCH", .path = path + "?createContact=true", .body = R"({"points":{"add":1}})"};
}

// CPU time since boot, in the kernel's units.
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

// The 99th percentile of the latencies of each round, by kind.
using Rounds = std::vector<std::vector<double>>;

void add_round(Rounds& rounds, const Neighbours::Latencies& latencies) {
  rounds.resize(latencies.size());
  for (std::size_t kind = 0; kind < latencies.size(); ++kind)
    rounds[kind].push_back(p99(latencies[kind]));
}

}  // namespace

Neighbours::Neighbours(ProcessPair& pair, const std::vector<Neighbour>& neighbours) {
  for (const auto& neighbour : neighbours) {
    clients_.emplace_back(loop_, pair, neighbour.key);
    kinds_.push_back(neighbour.kind);
  }
}

Neighbours::Latencies Neighbours::measure(Steady::duration length) {
  Latencies latencies(std::ranges::max(kinds_) + 1);
  const auto from = Steady::now() + 50ms;
  loop_.restart();
  for (std::size_t i = 0; i < clients_.size(); ++i)
    asio::co_spawn(loop_, ask_on(i, from, from + length, latencies[kinds_[i]]), asio::detached);
  loop_.run();
  return latencies;
}

asio::awaitable<void> Neighbours::ask_on(std::size_t neighbour, Steady::time_point from,
                                         Steady::time_point until, std::vector<double>& kept_ms) {
  const Steady::duration between = kBetweenRequests * static_cast<std::int64_t>(clients_.size());
  Steady::time_point due = from + kBetweenRequests * static_cast<std::int64_t>(neighbour);
  for (std::size_t turn = 0; due < until; ++turn, due += between) {
    const auto now = Steady::now();
    if (now < due) co_await runtime::sleep_for(due - now);
    const Answer answer = co_await clients_[neighbour].send(neighbour % 2, ask_of(neighbour, turn));
    if (!succeeded(answer)) ++unanswered_;
    kept_ms.push_back(milliseconds(Steady::now() - due));
  }
}

NoiseFigures compare_rounds(const Setting& setting, const std::string& what, Neighbours& neighbours,
                            const std::function<void(bool)>& noise,
                            std::optional<Steady::duration> given_length) {
  const Steady::duration length = given_length.value_or(setting.quick ? 1s : 10s);
  NoiseFigures figures{.rounds = setting.quick ? 1 : 5};
  Rounds quiet;
  Rounds loud;
  std::vector<double> cpu;
  for (int i = 0; i < figures.rounds; ++i) {
    progress(std::format("{}, round {}/{}", what, i + 1, figures.rounds));
    add_round(quiet, neighbours.measure(length));
    const auto since = Steady::now();
    noise(true);
    std::this_thread::sleep_for(200ms);
    cpu.push_back(cpu_percent_during([&] { add_round(loud, neighbours.measure(length)); }));
    noise(false);
    figures.loud_seconds += milliseconds(Steady::now() - since) / 1000;
    std::this_thread::sleep_for(200ms);
  }
  for (std::size_t kind = 0; kind < quiet.size(); ++kind)
    figures.kinds.push_back({median(quiet[kind]), median(loud[kind])});
  figures.cpu_percent = median(cpu);
  return figures;
}

double cpu_percent_during(const std::function<void()>& work) {
  const CpuTime before = cpu_time();
  work();
  const CpuTime after = cpu_time();
  return (after.busy - before.busy) / (after.all - before.all) * 100;
}

bool is_sanitized(const Setting& setting) {
  const std::string bytes = testing::read_file(setting.binary);
  return bytes.contains("__asan_init") || bytes.contains("__tsan_init");
}

bool judges_times(const Setting& setting) { return !setting.quick && !is_sanitized(setting); }

bool succeeded(const Answer& answer) {
  return answer.outcome == Answer::Outcome::answered && answer.status / 100 == 2;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace shopbell::proofs
