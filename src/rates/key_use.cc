#include "rates/key_use.h"

#include "base/limits.h"

namespace shopbell::rates {

namespace {

constexpr auto kBetweenWrites = std::chrono::minutes{1};
constexpr std::size_t kWritesAtOnce = 5'000;

}  // namespace

void KeyUse::note(std::int64_t account, const Uuid& key, runtime::Steady::time_point now) {
  const std::scoped_lock lock{mutex_};
  const Bucket name{.account = account, .key = key};
  const auto known = entries_.find(name);
  if (known != entries_.end()) {
    known->second.used_at = now;
  } else if (entries_.size() < limits::kRateBuckets) {
    entries_.emplace(name, Entry{.used_at = now, .written_use = {}, .next_write = now});
  }
}

void KeyUse::note_deprecated(std::int64_t account, const Uuid& key) {
  const std::scoped_lock lock{mutex_};
  const auto known = entries_.find({.account = account, .key = key});
  if (known != entries_.end()) ++known->second.deprecated;
}

std::vector<KeyUse::Used> KeyUse::due(runtime::Steady::time_point now) {
  const std::scoped_lock lock{mutex_};
  std::erase_if(entries_, [&](const auto& entry) {
    return entry.second.used_at == entry.second.written_use && entry.second.deprecated == 0 &&
           entry.second.next_write <= now;
  });
  std::vector<Used> used;
  for (const auto& [key, entry] : entries_) {
    if (used.size() == kWritesAtOnce) break;
    if ((entry.used_at != entry.written_use || entry.deprecated > 0) && entry.next_write <= now)
      used.push_back({key, entry.used_at, entry.deprecated});
  }
  return used;
}

void KeyUse::written(const std::vector<Used>& used, runtime::Steady::time_point now) {
  const std::scoped_lock lock{mutex_};
  for (const auto& [key, at, deprecated] : used) {
    const auto known = entries_.find(key);
    if (known == entries_.end()) continue;
    known->second.written_use = at;
    known->second.deprecated -= deprecated;
    known->second.next_write = now + kBetweenWrites;
  }
}

}  // namespace shopbell::rates
