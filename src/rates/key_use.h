// KeyUse: when keys were last used, and how often for deprecated operations. Every loop notes it in
// memory; the exchange writes it down, for each key at most once a minute.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/uuid.h"
#include "rates/rate_limit.h"

namespace shopbell::rates {

class KeyUse {
 public:
  // From any thread. The key check calls it for a key it has just looked up, so at least once a
  // second while the key is in use, and not for each request.
  void note(std::int64_t account, const Uuid& key, runtime::Steady::time_point now);

  // One more request for a deprecated operation, by a key that was noted.
  void note_deprecated(std::int64_t account, const Uuid& key);

  struct Used {
    Bucket key;
    runtime::Steady::time_point at;
    std::int64_t deprecated = 0;  // requests since it was last written down
  };
  // What is to be written down now, and that it was.
  std::vector<Used> due(runtime::Steady::time_point now);
  void written(const std::vector<Used>& used, runtime::Steady::time_point now);

 private:
  struct Entry {
    runtime::Steady::time_point used_at;
    runtime::Steady::time_point written_use;  // the use that was written down last, if any
    runtime::Steady::time_point next_write;
    std::int64_t deprecated = 0;
  };

  std::mutex mutex_;
  std::unordered_map<Bucket, Entry, BucketHash> entries_;
};

}  // namespace shopbell::rates
