// UsageLedger: what one process tells the others about its buckets, and what it makes of what they
// tell. One round a second: start() says what to tell and what to ask about, finish() takes the
// answer. A round whose answer never came is as if it had not been: the numbers told are sums, so
// nothing is lost and nothing counts twice. For one loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "base/uuid.h"
#include "rates/rate_limit.h"

namespace shopbell::rates {

// What a process told about a bucket.
struct ToldUse {
  Bucket bucket;
  Uuid process;
  std::int64_t counted_from = 0;   // where the sums started when the process made the bucket
  std::int64_t used = 0;           // granted so far
  std::int64_t used_before = 0;    // when it told the last time
  std::int64_t wanted = 0;         // granted and refused so far
  std::int64_t wanted_before = 0;  // likewise
  std::int64_t remaining = 0;      // of the whole bucket, as it saw it
  Instant at;                      // by the database's clock
  std::chrono::milliseconds age{};
};

class UsageLedger {
 public:
  UsageLedger(RateLimits& limits, Uuid process) : limits_{limits}, process_{process} {}

  struct Round {
    std::vector<ToldUse> tell;  // `at` and `age` are the database's to say
    std::vector<Bucket> ask;
  };
  Round start(Steady::time_point now);
  void finish(const Round& round, const std::vector<ToldUse>& heard, Steady::time_point now);

 private:
  struct Heard {
    Uuid process;
    std::int64_t used;
    std::int64_t wanted;
    Instant at;
    double wanted_per_second;
    std::uint64_t round = 0;  // in which it was last heard
  };
  struct Entry {
    std::int64_t used_told = 0;
    std::int64_t wanted_told = 0;
    std::vector<Heard> heard;
    std::vector<OtherUse> others;  // of the round under way
    std::uint64_t round = 0;
  };
  OtherUse compare(Entry& entry, const ToldUse& told) const;

  RateLimits& limits_;
  const Uuid process_;
  std::uint64_t round_ = 0;
  std::uint64_t finished_round_ = 0;
  std::unordered_map<Bucket, Entry, BucketHash> entries_;
};

}  // namespace shopbell::rates
