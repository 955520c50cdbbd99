// JobThread: runs background jobs, such as imports and exports, on their own thread.
#pragma once

#include <functional>

#include "app/config/config.h"
#include "app/service/side_thread.h"
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

  // Starts claiming jobs. Call this once, when the schema is up to date.
  void start();
  // Releases the running jobs, then calls `stopped`, on any thread.
  void stop(std::function<void()> stopped) { thread_.stop(worker_.stop(), std::move(stopped)); }
  void join() { thread_.join(); }

 private:
  SideThread thread_;
  pg::Health health_;  // failed connections here do not affect readiness
  pg::Pool database_;
  pg::Pool data_;  // connections of the API role, for writes of imports
  jobs::Worker worker_;
};

}  // namespace shopbell::app
