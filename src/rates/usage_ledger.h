// UsageLedger: what a process reports about its buckets, and how it uses the reports of others. One
// round a second: start() returns what to report and what to query, finish() takes the answer. A
// round without an answer has no effect: reports carry sums, so nothing is lost or counted twice.
// For one loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "rates/rate_limit.h"

namespace shopbell::rates {

// A process's report about a bucket.
struct ReportedUse {
  Bucket bucket;
  Uuid process;
  std::int64_t counted_from = 0;   // start value of the sums when the process created the bucket
  std::int64_t used = 0;           // tokens granted so far
  std::int64_t used_before = 0;    // `used` in the previous report
  std::int64_t wanted = 0;         // tokens granted and refused so far
  std::int64_t wanted_before = 0;  // `wanted` in the previous report
  std::int64_t remaining = 0;      // tokens of the whole bucket, as the process saw it
  Instant at;                      // time of the report, by the database's clock
  std::chrono::milliseconds age{};
};

class UsageLedger {
 public:
  UsageLedger(RateLimits& limits, Uuid process) : limits_{limits}, process_{process} {}

  struct Round {
    std::vector<ReportedUse> tell;  // `at` and `age` are set by the database
    std::vector<Bucket> ask;
  };
  Round start(Steady::time_point now);
  void finish(const Round& round, const std::vector<ReportedUse>& heard, Steady::time_point now);

 private:
  struct Heard {
    Uuid process;
    std::int64_t used;
    std::int64_t wanted;
    Instant at;
    double wanted_per_second;
    std::uint64_t round = 0;  // the last round in which the process reported
  };
  struct Entry {
    std::int64_t used_reported = 0;
    std::int64_t wanted_reported = 0;
    std::vector<Heard> heard;
    std::vector<OtherUse> others;  // use by other processes in the current round
    std::uint64_t round = 0;
  };
  OtherUse compare(Entry& entry, const ReportedUse& reported) const;

  RateLimits& limits_;
  const Uuid process_;
  std::uint64_t round_ = 0;
  std::uint64_t finished_round_ = 0;
  std::unordered_map<Bucket, Entry, BucketHash> entries_;
};

}  // namespace shopbell::rates
