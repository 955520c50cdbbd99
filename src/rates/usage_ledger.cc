#include "rates/usage_ledger.h"

#include <algorithm>
#include <cmath>

namespace shopbell::rates {

namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

// Maximum number of buckets that one round reports and queries. The most used buckets come first;
// the others wait for the next round.
constexpr std::size_t kBucketsPerRound = 5'000;

// A process that is silent for this long wants nothing: processes report only changes.
constexpr auto kSilent = limits::kExchangeInterval * 5 / 2;

constexpr std::uint64_t kMissedRounds = 2;  // more missed rounds mean an outage for all

}  // namespace

UsageLedger::Round UsageLedger::start(Steady::time_point now) {
  std::vector<BucketUse> all = limits_.use(now);
  ++round_;
  for (const auto& use : all) {
    Entry& entry = entries_[use.bucket];
    entry.round = round_;
    entry.used_reported = std::max(entry.used_reported, use.first);
    entry.wanted_reported = std::max(entry.wanted_reported, use.first);
  }
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.round != round_; });
  if (all.size() > kBucketsPerRound) {
    const auto unreported = [&](const BucketUse& use) {
      return use.wanted - entries_[use.bucket].wanted_reported;
    };
    std::ranges::nth_element(all, all.begin() + kBucketsPerRound, std::greater{}, unreported);
    all.resize(kBucketsPerRound);
  }
  Round round;
  for (const auto& use : all) {
    round.ask.push_back(use.bucket);
    const Entry& entry = entries_[use.bucket];
    if (use.wanted == entry.wanted_reported) continue;
    round.tell.push_back({.bucket = use.bucket,
                          .process = process_,
                          .counted_from = use.first,
                          .used = use.used,
                          .used_before = entry.used_reported,
                          .wanted = use.wanted,
                          .wanted_before = entry.wanted_reported,
                          .remaining = std::llround(use.left)});
  }
  return round;
}

void UsageLedger::finish(const Round& round, const std::vector<ReportedUse>& heard,
                         Steady::time_point now) {
  for (const auto& reported : round.tell) {
    Entry& entry = entries_[reported.bucket];
    entry.used_reported = reported.used;
    entry.wanted_reported = reported.wanted;
  }
  // After an outage every process has much to report. Until a process has reported, its old numbers
  // would look like no use.
  const bool outage = round_ - finished_round_ > kMissedRounds + 1;
  finished_round_ = round_;
  if (outage) return;
  for (const auto& reported : heard) {
    Entry& entry = entries_[reported.bucket];
    entry.others.push_back(compare(entry, reported));
  }
  for (const auto& bucket : round.ask) {
    Entry& entry = entries_[bucket];
    limits_.learn(bucket, entry.others, now);
    entry.others.clear();
    std::erase_if(entry.heard, [&](const Heard& one) { return one.round != round_; });
  }
}

OtherUse UsageLedger::compare(Entry& entry, const ReportedUse& reported) const {
  auto known = std::ranges::find(entry.heard, reported.process, &Heard::process);
  if (known == entry.heard.end()) {
    // First report of this process: count only the use of its last interval.
    entry.heard.push_back({.process = reported.process,
                           .used = reported.age > kSilent ? reported.used : reported.used_before,
                           .wanted = reported.wanted_before,
                           .at = reported.at - limits::kExchangeInterval,
                           .wanted_per_second = 0});
    known = std::prev(entry.heard.end());
  }
  const std::int64_t used = reported.used - std::max(known->used, reported.counted_from);
  const std::int64_t wanted = reported.wanted - std::max(known->wanted, reported.counted_from);
  if (reported.at != known->at) {
    // A process reports once a second, but one of our rounds may read two reports, or none.
    const Seconds between = std::clamp<Seconds>(reported.at - known->at, 200ms, kSilent);
    known->wanted_per_second = static_cast<double>(wanted) / between.count();
  }
  known->used = reported.used;
  known->wanted = reported.wanted;
  known->at = reported.at;
  known->round = round_;
  return {.used = used,
          .wanted_per_second = reported.age > kSilent ? 0 : known->wanted_per_second,
          .left = static_cast<double>(reported.remaining)};
}

}  // namespace shopbell::rates
