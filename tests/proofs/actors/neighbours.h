// Neighbours: clients with ordinary work at a fixed rate, in rounds with and without load from
// another source. Used by proofs that one account's load does not slow down others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

// Above this load all requests queue for the CPU, so latencies say nothing about isolation.
inline constexpr double kMostCpuPercent = 60;

struct Neighbour {
  std::string key;
  std::size_t kind = 0;  // group for which latencies are reported
};

// Each client has one contact, which it writes and reads in turn. Requests start on a schedule,
// independent of response times: 100 a second in total.
class Neighbours {
 public:
  // Every second client uses the second process.
  Neighbours(ProcessPair& pair, const std::vector<Neighbour>& neighbours);

  // Latencies from the scheduled start to the response, in milliseconds, by kind.
  using Latencies = std::vector<std::vector<double>>;
  Latencies measure(runtime::Steady::duration length);

  // Returns the number of requests without a successful response, since construction.
  std::int64_t unanswered() const { return unanswered_; }

 private:
  boost::asio::awaitable<void> ask_on(std::size_t neighbour, runtime::Steady::time_point from,
                                      runtime::Steady::time_point until,
                                      std::vector<double>& kept_ms);

  boost::asio::io_context loop_;
  std::deque<PairClient> clients_;
  std::vector<std::size_t> kinds_;
  std::int64_t unanswered_ = 0;
};

// Figures of one kind of neighbour: medians over the rounds.
struct NeighbourFigures {
  double quiet_p99_ms = 0;
  double loud_p99_ms = 0;

  // The latency under load may be 10 % higher, or 3 ms, whichever allows more.
  bool good() const { return loud_p99_ms <= std::max(quiet_p99_ms * 1.10, quiet_p99_ms + 3); }
};

struct NoiseFigures {
  std::vector<NeighbourFigures> kinds;
  double cpu_percent = 0;  // CPU usage of the machine, median of the loud rounds
  int rounds = 0;          // number of loud rounds
  double loud_seconds = 0;
};

// Alternates quiet and loud rounds, so that slow phases of the machine affect both; `noise`
// switches the load on and off.
NoiseFigures compare_rounds(const Setting& setting, const std::string& what, Neighbours& neighbours,
                            const std::function<void(bool)>& noise,
                            std::optional<runtime::Steady::duration> length = {});

// Returns the CPU usage of the machine, in percent, while `work` runs.
double cpu_percent_during(const std::function<void()>& work);

// Returns false under sanitizers, which slow down everything, and in quick runs, which are too
// short. Measured times then have no effect on the verdict.
bool judges_times(const Setting& setting);

// True if the binary was built with a sanitizer, which needs much more time and memory.
bool is_sanitized(const Setting& setting);

bool succeeded(const testing::Answer& answer);
double median(std::vector<double> values);

}  // namespace shopbell::proofs
