#include "rates/usage_ledger.h"

#include <algorithm>
#include <cmath>

namespace shopbell::rates {

namespace {

using namespace std::chrono_literals;
using Seconds = std::chrono::duration<double>;

// Told and asked about in one round; the most used go first, the others wait for the next.
constexpr std::size_t kBucketsPerRound = 5'000;

// Who has told nothing for so long wants nothing: a process tells only what changed.
constexpr auto kSilent = limits::kExchangeInterval * 5 / 2;

constexpr std::uint64_t kMissedRounds = 2;  // more of them, and the others have missed theirs too

}  // namespace

UsageLedger::Round UsageLedger::start(Steady::time_point now) {
  std::vector<BucketUse> all = limits_.use(now);
  ++round_;
  for (const auto& use : all) {
    Entry& entry = entries_[use.bucket];
    entry.round = round_;
    entry.used_told = std::max(entry.used_told, use.first);
    entry.wanted_told = std::max(entry.wanted_told, use.first);
  }
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.round != round_; });
  if (all.size() > kBucketsPerRound) {
    const auto untold = [&](const BucketUse& use) {
      return use.wanted - entries_[use.bucket].wanted_told;
    };
    std::ranges::nth_element(all, all.begin() + kBucketsPerRound, std::greater{}, untold);
    all.resize(kBucketsPerRound);
  }
  Round round;
  for (const auto& use : all) {
    round.ask.push_back(use.bucket);
    const Entry& entry = entries_[use.bucket];
    if (use.wanted == entry.wanted_told) continue;
    round.tell.push_back({.bucket = use.bucket,
                          .process = process_,
                          .counted_from = use.first,
                          .used = use.used,
                          .used_before = entry.used_told,
                          .wanted = use.wanted,
                          .wanted_before = entry.wanted_told,
                          .remaining = std::llround(use.left)});
  }
  return round;
}

void UsageLedger::finish(const Round& round, const std::vector<ToldUse>& heard,
                         Steady::time_point now) {
  for (const auto& told : round.tell) {
    Entry& entry = entries_[told.bucket];
    entry.used_told = told.used;
    entry.wanted_told = told.wanted;
  }
  // After an outage everybody has much to tell. Until they had the time to, their old numbers would
  // look as if they had done nothing.
  const bool outage = round_ - finished_round_ > kMissedRounds + 1;
  finished_round_ = round_;
  if (outage) return;
  for (const auto& told : heard) {
    Entry& entry = entries_[told.bucket];
    entry.others.push_back(compare(entry, told));
  }
  for (const auto& bucket : round.ask) {
    Entry& entry = entries_[bucket];
    limits_.learn(bucket, entry.others, now);
    entry.others.clear();
    std::erase_if(entry.heard, [&](const Heard& one) { return one.round != round_; });
  }
}

OtherUse UsageLedger::compare(Entry& entry, const ToldUse& told) const {
  auto known = std::ranges::find(entry.heard, told.process, &Heard::process);
  if (known == entry.heard.end()) {
    // Heard of for the first time: what it did before its last interval was not done meanwhile.
    entry.heard.push_back({.process = told.process,
                           .used = told.age > kSilent ? told.used : told.used_before,
                           .wanted = told.wanted_before,
                           .at = told.at - limits::kExchangeInterval,
                           .wanted_per_second = 0});
    known = std::prev(entry.heard.end());
  }
  const std::int64_t used = told.used - std::max(known->used, told.counted_from);
  const std::int64_t wanted = told.wanted - std::max(known->wanted, told.counted_from);
  if (told.at != known->at) {
    // Its rows come once a second, but are read now twice, now not at all in one of ours.
    const Seconds between = std::clamp<Seconds>(told.at - known->at, 200ms, kSilent);
    known->wanted_per_second = static_cast<double>(wanted) / between.count();
  }
  known->used = told.used;
  known->wanted = told.wanted;
  known->at = told.at;
  known->round = round_;
  return {.used = used,
          .wanted_per_second = told.age > kSilent ? 0 : known->wanted_per_second,
          .left = static_cast<double>(told.remaining)};
}

}  // namespace shopbell::rates
