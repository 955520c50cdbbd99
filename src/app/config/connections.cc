#include "app/config/connections.h"

#include <algorithm>
#include <thread>

#include "base/limits.h"

namespace shopbell::app {

std::size_t loops_of(const Config& config) {
  return config.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : config.threads;
}

// The Kafka stream reads the event log too, so it adds one reader.
std::size_t log_connections(const Config& config) { return config.kafka.has_stream() ? 6 : 4; }

Connections connections_of(const Config& config) {
  const std::size_t loops = loops_of(config);
  const std::size_t requests =
      loops * (config.database_connections + config.database_write_connections);
  const std::size_t upkeep = 2;  // one for partitions and rates, one for other chores
  const std::size_t jobs = 1 + 2 * limits::kJobsAtOnce;  // the worker's, and 2 per import
  const std::size_t log = log_connections(config) + 3;   // heartbeats, deliveries and their upkeep
  const std::size_t intake = config.kafka.has_intake() ? 2 : 0;
  const std::size_t workflows = 2;  // transactions of wakes, and claims of messages
  const std::size_t standing = requests + upkeep + jobs + log + intake + workflows;
  // Transactions of contending requests, of imports and of the intake. Exports and one command also
  // need connections, which are added below.
  const std::size_t transactions = loops * limits::kExclusivePerLoop + limits::kJobsAtOnce +
                                   (config.kafka.has_intake() ? 1 : 0) +
                                   static_cast<std::size_t>(limits::kAutomationPipelines);
  return {.standing = standing, .most = standing + transactions + limits::kJobsAtOnce + 1};
}

}  // namespace shopbell::app
