// The routes of the private listener: health, readiness and metrics.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "http/wire/route.h"
#include "observe/metrics.h"
#include "pg/pool.h"

namespace shopbell::app {

// Holds the reasons why the service should get no traffic. Thread-safe.
class Readiness {
 public:
  explicit Readiness(const pg::Health& database) : database_{database} {}

  void start_draining() { draining_ = true; }
  // Sets why the schema is unusable; "" if it is usable. Returns true if the reason has changed.
  bool set_schema_trouble(std::string why);
  std::vector<std::string> troubles() const;
  // Registers a check of a degraded feature, which does not affect readiness. `tell` returns the
  // reason, or "" if the feature works. Call this before the first request.
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
