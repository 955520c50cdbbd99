// BucketTable: many token buckets, found by key and shared by all loops. It is split into parts
// with a lock each, held for one lookup and a few additions, so that contention is rare.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "rates/token_bucket.h"

namespace shopbell::rates {

template <class Key, class Hash>
class BucketTable {
 public:
  // Keeps at most `most` buckets. Beyond that it evicts full ones, then the least recently used.
  explicit BucketTable(std::size_t most) : most_in_part_{std::max<std::size_t>(1, most / kParts)} {}

  // Calls work(bucket) under the lock; a missing bucket is created, full.
  template <class Work>
  auto with(const Key& key, Rate rate, Steady::time_point now, Work work) {
    Part& part = part_of(key);
    const std::scoped_lock lock{part.mutex};
    auto found = part.buckets.find(key);
    if (found == part.buckets.end()) {
      if (part.buckets.size() >= most_in_part_) make_room(part, now);
      found = part.buckets.try_emplace(key, rate, now).first;
    }
    return work(found->second);
  }

  // Calls work(bucket) under the lock, if the bucket exists.
  template <class Work>
  void with_known(const Key& key, Work work) {
    Part& part = part_of(key);
    const std::scoped_lock lock{part.mutex};
    if (const auto found = part.buckets.find(key); found != part.buckets.end()) work(found->second);
  }

  // Removes buckets for which forget(bucket) is true, and calls work(key, bucket) for the others.
  template <class Forget, class Work>
  void sweep(Forget forget, Work work) {
    for (auto& part : parts_) {
      const std::scoped_lock lock{part.mutex};
      std::erase_if(part.buckets, [&](auto& entry) { return forget(entry.second); });
      for (auto& [key, bucket] : part.buckets) work(key, bucket);
    }
  }

  std::size_t size() const {
    std::size_t sum = 0;
    for (const auto& part : parts_) {
      const std::scoped_lock lock{part.mutex};
      sum += part.buckets.size();
    }
    return sum;
  }

 private:
  static constexpr std::size_t kParts = 256;
  static constexpr std::size_t kCacheLine = 64;

  struct alignas(kCacheLine) Part {
    mutable std::mutex mutex;
    std::unordered_map<Key, TokenBucket, Hash> buckets;
  };

  // Uses the high bits: the low bits choose the slot inside the part.
  Part& part_of(const Key& key) { return parts_[(Hash{}(key) >> 32) % kParts]; }

  // Evicts an eighth at once, so that a flood of new keys does not repeat the search each time.
  void make_room(Part& part, Steady::time_point now) {
    std::erase_if(part.buckets, [&](auto& entry) { return entry.second.is_full(now); });
    const std::size_t keep = most_in_part_ - (most_in_part_ + 7) / 8;
    if (part.buckets.size() <= keep) return;
    std::vector<Steady::time_point> times;
    times.reserve(part.buckets.size());
    for (const auto& [key, bucket] : part.buckets) times.push_back(bucket.wanted_at());
    const auto last = times.begin() + static_cast<std::ptrdiff_t>(times.size() - keep - 1);
    std::ranges::nth_element(times, last);
    std::erase_if(part.buckets, [&](auto& entry) { return entry.second.wanted_at() <= *last; });
  }

  const std::size_t most_in_part_;
  std::array<Part, kParts> parts_;
};

}  // namespace shopbell::rates
