// KafkaThread: events in and out of Kafka on their way to the database, on a thread of its own;
// there only where a topic for them is configured.
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
  // `process` is what this one is called in the log, by whose heartbeat it holds partitions.
  KafkaThread(const Config& config, const keyring::Keyring& keyring, Uuid process,
              observe::Metrics& metrics);
  ~KafkaThread() { join(); }

  custom_events::EventQueue& queue() { return queue_; }

  // From now on events are taken.
  void start();
  // Once, when the schema is the right one: they are written to the database.
  void start_reading();
  // Gives back its partitions, then calls `stopped`, on whatever thread.
  void stop(std::function<void()> stopped) { thread_.stop(end(), std::move(stopped)); }
  void join() { thread_.join(); }

 private:
  boost::asio::awaitable<void> end();

  SideThread thread_;
  pg::Health health_;  // no reason to refuse traffic
  pg::Pool pulse_;     // who reads what
  pg::Pool data_;      // what is written, with the rights of a request
  custom_events::EventQueue queue_;
  custom_events::QueueReader reader_;
};

}  // namespace shopbell::app
