// Upkeep: periodic cleanup of the database. Several processes may run it at once; each skips rows
// that the others have locked. Every chore has a coroutine of its own and works in small batches.
// The batches take turns on one connection, so a chore with much work does not delay the others.
#pragma once

#include <functional>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "app/service/chore.h"
#include "automation/schedule_walk.h"
#include "observe/metrics.h"
#include "pg/pool.h"

namespace shopbell::app {

class Upkeep {
 public:
  // Both pools need the worker role. The chore that keeps partitions has a pool of its own, so that
  // no other chore delays it.
  Upkeep(pg::Pool& partitions, pg::Pool& chores, observe::Metrics& metrics);

  // Creates the event table's next partitions and drops expired ones. Returns true if events can be
  // written now.
  boost::asio::awaitable<bool> keep_event_partitions();
  // Partitions of messages and of past runs.
  boost::asio::awaitable<bool> keep_other_partitions();

  // Runs all chores until stop(). Call keep_event_partitions() before.
  void start(boost::asio::io_context& loop);
  // Calls `rested` once no chore uses the pools any more.
  void stop(std::function<void()> rested) { rounds_.stop(std::move(rested)); }

 private:
  pg::Pool& partitions_;
  pg::Pool& chores_;
  observe::Metrics& metrics_;
  automation::ScheduleWalk schedules_;
  observe::Gauge& months_ahead_;
  Rounds rounds_;
};

}  // namespace shopbell::app
