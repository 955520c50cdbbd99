// ServerClock: orders what clients send and receive in one sequence, and reads PostgreSQL's clock
// all the time. So an acknowledgement can be compared with times that the service has stored,
// without the clock of a client.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"

namespace shopbell::proofs {

class ServerClock {
 public:
  explicit ServerClock(std::string admin_url);

  // Returns the next position in the sequence.
  std::int64_t mark() { return ++sequence_; }
  // Stops reading. after() may be used only afterwards.
  void stop();
  // Returns a time at which the position had passed: the first one that was read after it.
  Instant after(std::int64_t position) const;

 private:
  struct Reading {
    std::int64_t position = 0;  // taken before the query was sent
    Instant at;
  };
  void read(const std::stop_token& stopping);

  const std::string admin_url_;
  std::atomic<std::int64_t> sequence_ = 0;
  std::vector<Reading> readings_;  // filled on the thread
  std::jthread thread_;
};

}  // namespace shopbell::proofs
