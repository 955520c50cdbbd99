// KafkaThread: queues events in Kafka and writes them to the database, on its own thread. Exists
// only if an intake topic is configured.
#pragma once

#include <functional>

#include "app/config/config.h"
#include "app/service/side_thread.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "resources/custom_events/event_queue.h"
#include "resources/custom_events/queue_reader.h"

namespace shopbell::app {

class KafkaThread {
 public:
  // `process` is the id of this process in the event log; its heartbeat keeps the partitions'
  // leases.
  KafkaThread(const Config& config, const keyring::Keyring& keyring, Uuid process,
              observe::Metrics& metrics);
  ~KafkaThread() { join(); }

  custom_events::EventQueue& queue() { return queue_; }

  // Starts accepting events.
  void start();
  // Starts writing queued events to the database. Call this once, when the schema is up to date.
  void start_reading();
  // Releases the leased partitions, then calls `stopped`, on any thread.
  void stop(std::function<void()> stopped) { thread_.stop(end(), std::move(stopped)); }
  void join() { thread_.join(); }

 private:
  boost::asio::awaitable<void> end();

  SideThread thread_;
  pg::Health health_;  // failed connections here do not affect readiness
  pg::Pool pulse_;     // connections that renew leases of partitions
  pg::Pool data_;      // connections of the API role, for writes of events
  custom_events::EventQueue queue_;
  custom_events::QueueReader reader_;
};

}  // namespace shopbell::app
