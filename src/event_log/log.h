// Log: this process's part in reading the event log. It sends heartbeats, makes ticks while it is
// the ticker, and reads the lanes that it holds for each reader. Processes coordinate through the
// database alone. If one is dead, stopped or cut off, another takes over within seconds, and the
// fence refuses the old one.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "event_log/lanes.h"

namespace shopbell::event_log {

// A process describes itself with this in its heartbeats.
struct ProcessIdentity {
  Uuid process;  // its id, new at each start
  std::string version;
  std::vector<std::int64_t> keyring_keys;  // ids of the keys in its keyring
};

class Log {
 public:
  // Heartbeats and ticks run on `pulse_loop`, with the connection of `pulse`, so that they wait
  // neither for the readers' computations nor for their queries. Readers run on `loop`, with
  // `work`. Each pool belongs to its loop. Both loops may be the same.
  Log(asio::io_context& pulse_loop, pg::Pool& pulse, asio::io_context& loop, pg::Pool& work,
      std::vector<Reader> readers, ProcessIdentity identity, observe::Metrics& metrics);

  // Calls `action` on the readers' loop when this process, as the ticker, finds the database's
  // clock set back.
  void when_clock_set_back(std::function<void()> action) { set_back_ = std::move(action); }

  // Runs until stop().
  void start();
  // Finishes the work in flight and releases all lanes. Call it on the readers' loop.
  asio::awaitable<void> stop();

 private:
  asio::awaitable<void> keep_beating();
  asio::awaitable<void> keep_ticking();
  asio::awaitable<bool> tick();
  asio::awaitable<void> forget();
  void report(const std::string& trouble);
  void report_tick(const std::string& trouble);

  // Rings a bell of the other loop.
  void ring(runtime::Bell& bell, asio::io_context& loop);

  asio::io_context& pulse_loop_;
  pg::Pool& pulse_;
  asio::io_context& loop_;
  const ProcessIdentity identity_;
  std::vector<std::unique_ptr<Lanes>> lanes_;
  std::optional<std::int64_t> ticker_;  // the generation in which this process is the ticker
  runtime::Bell beat_;                  // triggers the next heartbeat
  runtime::Bell tick_;
  runtime::Bell ended_;  // on the readers' loop
  std::function<void()> set_back_;
  pg::Steady::time_point forget_at_;
  Forgotten forgotten_;
  std::string trouble_;
  std::string tick_trouble_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> running_ = 0;  // how many of the two coroutines still run

  observe::Counter& ticks_;
  observe::Counter& failures_;
  observe::Counter& set_backs_;
  observe::Gauge& alive_;
};

}  // namespace shopbell::event_log
