// What the operator asks the private listener: is it alive, is it ready, what does it count.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "http/route.h"
#include "observe/metrics.h"
#include "pg/pool.h"

namespace shopbell::app {

// Why the service should get no traffic; empty when it should. Read and written from any thread.
class Readiness {
 public:
  explicit Readiness(const pg::Health& database) : database_{database} {}

  void start_draining() { draining_ = true; }
  // True when it was another trouble before.
  bool set_schema_trouble(std::string why);
  std::vector<std::string> troubles() const;
  // What is not as it should be, and no reason to send traffic elsewhere. Before the first request:
  // who tells of it, by an empty text when all is well.
  void watch(std::function<std::string()> tell) { watched_.push_back(std::move(tell)); }
  std::vector<std::string> degraded() const;

 private:
  const pg::Health& database_;
  std::atomic<bool> draining_ = false;
  std::vector<std::function<std::string()>> watched_;
  mutable std::mutex mutex_;
  std::string schema_trouble_ = "the schema was not checked yet";
};

std::vector<http::Route> private_routes(const Readiness& readiness,
                                        const observe::Metrics& metrics);

}  // namespace shopbell::app
