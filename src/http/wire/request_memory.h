// RequestMemory: limits the memory that the requests of one process hold: long heads, bodies while
// they arrive, and large responses until their client has read them. One account gets a share only,
// so that it cannot take the memory of all others. One object per process, used by every loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/limits.h"
#include "base/problem.h"
#include "observe/metrics.h"

namespace shopbell::http {

class RequestMemory {
 public:
  explicit RequestMemory(observe::Metrics& metrics, std::size_t most = limits::kRequestMemory,
                         std::size_t share = limits::kRequestMemoryShare);

  // The memory of one request or connection. The destructor releases it.
  class Hold {
   public:
    Hold() = default;  // an empty object that holds no memory
    // Account 0 stands for all requests without a key. Without `memory` it counts nothing.
    Hold(RequestMemory* memory, std::int64_t account) : memory_{memory}, account_{account} {}
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&& other) noexcept;
    ~Hold() { release(); }

    // Adds `bytes`. Returns false and adds nothing if the process or the account has no room.
    [[nodiscard]] bool grow(std::size_t bytes);
    // Adds `bytes` that are already in use, even beyond the limits.
    void add(std::size_t bytes);
    void release();

   private:
    RequestMemory* memory_ = nullptr;
    std::int64_t account_ = 0;
    std::size_t bytes_ = 0;
  };

  // False while the process or the account exceeds its limit.
  bool has_room(std::int64_t account) const;

 private:
  bool fits(std::int64_t account, std::size_t bytes) const;
  void take(std::int64_t account, std::size_t bytes);
  void give_back(std::int64_t account, std::size_t bytes);

  const std::size_t most_;
  const std::size_t share_;
  observe::Gauge& held_;
  observe::Counter& refused_;
  std::atomic<std::size_t> all_ = 0;  // bytes of all accounts; changed under the lock
  mutable std::mutex mutex_;
  std::unordered_map<std::int64_t, std::size_t> accounts_;
};

// The 503 response of a request for which there is no room.
Problem no_memory_problem();

}  // namespace shopbell::http
