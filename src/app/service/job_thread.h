// JobThread: jobs, on a thread of their own.
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

  // Once, when the schema is the right one.
  void start();
  // Hands back what is under way, then calls `stopped`, on whatever thread.
  void stop(std::function<void()> stopped) { thread_.stop(worker_.stop(), std::move(stopped)); }
  void join() { thread_.join(); }

 private:
  SideThread thread_;
  pg::Health health_;  // no reason to refuse traffic
  pg::Pool database_;
  pg::Pool data_;  // with the rights of a request: what imports bring
  jobs::Worker worker_;
};

}  // namespace shopbell::app
