// JobThread: a loop and a thread of their own for jobs, so that no request waits for one.
#pragma once

#include <functional>
#include <optional>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "app/config.h"
#include "jobs/worker.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "storage/storage.h"

namespace shopbell::app {

class JobThread {
 public:
  JobThread(const Config& config, const keyring::Keyring& keyring, storage::Storage& storage,
            observe::Metrics& metrics);
  ~JobThread() { join(); }

  // Once, when the schema is the right one.
  void start();
  // Hands back what is under way, then calls `stopped`, on whatever thread.
  void stop(std::function<void()> stopped);
  // Ends the thread, whatever it still does. What it waited for must have ended before the object
  // does: the storage above all.
  void join();

 private:
  boost::asio::io_context loop_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  pg::Health health_;  // no reason to refuse traffic
  pg::Pool database_;
  pg::Pool data_;  // with the rights of a request: what imports bring
  jobs::Worker worker_;
  std::thread thread_;
};

}  // namespace shopbell::app
