// MovedClock: the wall clock of processes that preload tests/clock/moved_clock.cc. It can be moved
// while they run; their monotonic clock stays the machine's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/time.h"

namespace shopbell::proofs {

class MovedClock {
 public:
  explicit MovedClock(Instant now);
  ~MovedClock();
  MovedClock(const MovedClock&) = delete;
  MovedClock& operator=(const MovedClock&) = delete;

  // Moves the clock of all its processes at once.
  void set(Instant now);
  Instant now() const { return system_clock().now() + offset_; }

  // Returns environment variables that put a process and its children under this clock.
  std::map<std::string, std::string> environment() const;

 private:
  std::filesystem::path directory_;
  std::int64_t* shared_ns_ = nullptr;  // the offset, mapped from a file
  std::chrono::microseconds offset_{};
};

}  // namespace shopbell::proofs
