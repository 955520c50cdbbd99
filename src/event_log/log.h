// Log: this process's part in reading the events of all processes. It tells that it lives, makes
// ticks when that is its turn, and reads, for each reader, the lanes that are its own. Processes
// agree through the database alone: what one does not do because it is dead, stopped or cut off,
// another does a few seconds later, and the one cannot do it any more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "event_log/lanes.h"

namespace shopbell::event_log {

class Log {
 public:
  // `pulse` is for heartbeats and ticks, which must not wait behind what readers do on `work`;
  // `process` is what this one is called among the others.
  Log(asio::io_context& loop, pg::Pool& pulse, pg::Pool& work, std::vector<Reader> readers,
      Uuid process, std::string version, observe::Metrics& metrics);

  // On the loop; until stop().
  void start();
  // Finishes what is under way and gives back everything.
  asio::awaitable<void> stop();

 private:
  asio::awaitable<void> keep_beating();
  asio::awaitable<void> keep_ticking();
  asio::awaitable<bool> tick();
  void report(const std::string& trouble);
  void report_tick(const std::string& trouble);

  asio::io_context& loop_;
  pg::Pool& pulse_;
  const std::string version_;
  const Uuid process_;
  std::vector<std::unique_ptr<Lanes>> lanes_;
  std::optional<std::int64_t> ticker_;  // the generation in which ticks are ours to make
  runtime::Bell beat_;                  // the next heartbeat is wanted now
  runtime::Bell tick_;
  runtime::Bell ended_;
  pg::Steady::time_point forget_at_;
  std::string trouble_;
  std::string tick_trouble_;
  bool stopping_ = false;
  int running_ = 0;  // of the two loops

  observe::Counter& ticks_;
  observe::Counter& failures_;
  observe::Gauge& alive_;
};

}  // namespace shopbell::event_log
