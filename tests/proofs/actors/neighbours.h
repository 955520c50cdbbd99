// Neighbours: clients who do ordinary work at a fixed pace while somebody else makes noise or does
// not, and what they notice of it. For proofs that nobody pays for another's doing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "runtime/wait.h"
#include "tests/proofs/actors/process_pair.h"
#include "tests/proofs/actors/proof.h"

namespace shopbell::proofs {

// Above it everybody waits for a processor, whatever anybody does.
inline constexpr double kMostCpuPercent = 60;

struct Neighbour {
  std::string key;
  std::size_t kind = 0;  // those of one kind are judged together
};

// Everybody has a contact of their own, which they write to and read by turns, at times that do not
// depend on how long an answer takes: all together 100 requests a second.
class Neighbours {
 public:
  // Every other one is a client of the second process.
  Neighbours(ProcessPair& pair, const std::vector<Neighbour>& neighbours);

  // From when a request was due to its answer, in milliseconds, by kind.
  using Latencies = std::vector<std::vector<double>>;
  Latencies measure(runtime::Steady::duration length);

  // Anything but success, since ever.
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

// Of one kind of neighbour, medians over the rounds.
struct NeighbourFigures {
  double quiet_p99_ms = 0;
  double loud_p99_ms = 0;

  // At most a tenth more, or 3 ms, whichever is larger.
  bool good() const { return loud_p99_ms <= std::max(quiet_p99_ms * 1.10, quiet_p99_ms + 3); }
};

struct NoiseFigures {
  std::vector<NeighbourFigures> kinds;
  double cpu_percent = 0;  // of the machine, median of the loud rounds
  int rounds = 0;          // loud ones
  double loud_seconds = 0;
};

// Quiet and loud rounds by turns, so that both meet the same moods of the machine; `noise` turns it
// on and off.
NoiseFigures compare_rounds(const Setting& setting, const std::string& what, Neighbours& neighbours,
                            const std::function<void(bool)>& noise);

// Of the machine, while `work` runs.
double cpu_percent_during(const std::function<void()>& work);

// Sanitizers make everything slow that is not waiting, and a smoke is too short: what was measured
// then decides nothing.
bool judges_times(const Setting& setting);

bool succeeded(const testing::Answer& answer);
double median(std::vector<double> values);

}  // namespace shopbell::proofs
