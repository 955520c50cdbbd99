// KeyUse: the last use of each key, and its requests for deprecated operations. Loops record it in
// memory; the exchange writes it to the database, at most once a minute per key.
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
  // Callable from any thread. The key check calls it after looking up a key, so at least once a
  // second while the key is in use, but not for each request.
  void note(std::int64_t account, const Uuid& key, runtime::Steady::time_point now);

  // Counts a request for a deprecated operation, by a key that was noted.
  void note_deprecated(std::int64_t account, const Uuid& key);

  struct Used {
    Bucket key;
    runtime::Steady::time_point at;
    std::int64_t deprecated = 0;  // requests since the last write
  };
  // due() returns what to write now; written() confirms that it was written.
  std::vector<Used> due(runtime::Steady::time_point now);
  void written(const std::vector<Used>& used, runtime::Steady::time_point now);

 private:
  struct Entry {
    runtime::Steady::time_point used_at;
    runtime::Steady::time_point written_use;  // the last use that was written, if any
    runtime::Steady::time_point next_write;
    std::int64_t deprecated = 0;
  };

  std::mutex mutex_;
  std::unordered_map<Bucket, Entry, BucketHash> entries_;
};

}  // namespace shopbell::rates
