#include <algorithm>
#include <format>
#include <set>
#include <thread>

#include "runtime/wait.h"
#include "tests/proofs/proofs/webhooks.h"

namespace shopbell::proofs {

namespace {

using namespace std::chrono_literals;
using runtime::Steady;

constexpr std::size_t kEndpoints = 50;
// Interval between events; each event goes to every endpoint.
constexpr auto kBetweenEvents = 250ms;
// After this time, no delivery to the dead endpoint is in flight.
constexpr auto kGivenUp = 16s;

double p99(std::vector<double> values) {
  std::ranges::sort(values);
  return values.empty() ? 0 : values[values.size() * 99 / 100];
}

// Sends events at a fixed rate for a given time, then waits until the last has arrived everywhere.
class Round {
 public:
  Round(const Fleet& fleet, WebhookSite& site, const std::string& key, std::size_t contacts)
      : fleet_{fleet}, site_{site}, key_{key}, contacts_{contacts} {}

  // Runs one round and returns the 99th percentile of the latencies in milliseconds.
  double measure(const std::string& name, Steady::duration length, std::int64_t& missing) {
    std::map<std::string, std::int64_t> began;
    const auto from = Steady::now();
    for (auto due = from; due < from + length; due += kBetweenEvents) {
      std::this_thread::sleep_until(due);
      const SentEvent told =
          send_event(fleet_, key_, next_++ % contacts_, std::format("{}-{}", name, began.size()));
      began.emplace(told.id, told.began_ms);
    }
    std::vector<double> took_ms;
    for (const auto until = Steady::now() + 15s; Steady::now() < until;) {
      took_ms = arrived(began);
      if (took_ms.size() >= began.size() * kEndpoints) break;
      std::this_thread::sleep_for(200ms);
    }
    missing += static_cast<std::int64_t>(began.size() * kEndpoints - took_ms.size());
    return p99(std::move(took_ms));
  }

 private:
  // Returns the latencies of the first arrivals at endpoints that answer.
  std::vector<double> arrived(const std::map<std::string, std::int64_t>& began) const {
    std::vector<double> took_ms;
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& arrival : site_.arrivals()) {
      const auto event = began.find(arrival.id);
      if (event == began.end() || !arrival.path.starts_with("/healthy-")) continue;
      if (!seen.emplace(arrival.path, arrival.id).second) continue;
      took_ms.push_back(static_cast<double>(arrival.at_ms - event->second));
    }
    return took_ms;
  }

  const Fleet& fleet_;
  WebhookSite& site_;
  const std::string& key_;
  const std::size_t contacts_;
  std::size_t next_ = 0;
};

}  // namespace

DeadEndpointFigures measure_dead_endpoint(const Setting& setting, const Fleet& fleet,
                                          WebhookSite& site, const std::string& key,
                                          std::size_t contacts) {
  for (std::size_t i = 0; i < kEndpoints; ++i)
    site.create_endpoint(fleet, key, std::format("/healthy-{}", i));
  const std::string dead = site.create_endpoint(fleet, key, "/dead");
  set_endpoint_status(fleet, key, dead, "disabled");
  const int rounds = setting.quick ? 1 : 5;
  const Steady::duration length = setting.quick ? 2s : 10s;
  DeadEndpointFigures figures{.endpoints = kEndpoints};
  Round round{fleet, site, key, contacts};
  round.measure("warm", 1s, figures.missing);  // warm-up: opens the connections
  std::vector<double> quiet;
  std::vector<double> loud;
  std::vector<double> cpu;
  for (int i = 0; i < rounds; ++i) {
    progress(std::format("webhooks: dead endpoint, round {}/{}", i + 1, rounds));
    quiet.push_back(round.measure(std::format("quiet-{}", i), length, figures.missing));
    set_endpoint_status(fleet, key, dead, "enabled");
    cpu.push_back(cpu_percent_during([&] {
      loud.push_back(round.measure(std::format("loud-{}", i), length, figures.missing));
    }));
    set_endpoint_status(fleet, key, dead, "disabled");
    if (i + 1 < rounds) std::this_thread::sleep_for(kGivenUp);
  }
  figures.arrival = {.quiet_p99_ms = median(quiet), .loud_p99_ms = median(loud)};
  figures.cpu_percent = median(cpu);
  return figures;
}

}  // namespace shopbell::proofs
