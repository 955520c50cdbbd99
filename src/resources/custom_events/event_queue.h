// EventQueue: Kafka in front of the database, for senders that do not need an event's result at
// once. It accepts events faster than the database, and during a database outage. While Kafka is
// unavailable the queue is closed, and events are written directly to the database.
#pragma once

#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "kafka/producer.h"
#include "kafka/topic_watch.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"

namespace shopbell::custom_events {

class EventQueue {
 public:
  EventQueue(boost::asio::io_context& loop, const kafka::Settings& brokers,
             const kafka::TopicRules& topic, const keyring::Keyring& keyring,
             observe::Metrics& metrics);

  // The state of the topic. Run its watch on the loop; query it from any thread.
  kafka::TopicWatch& topic() { return topic_; }
  const kafka::TopicWatch& topic() const { return topic_; }

  // Sends the messages and returns one outcome per message, in order. Call it from any thread. A
  // failed delivery closes the topic until its next check.
  boost::asio::awaitable<std::vector<kafka::Delivery>> put(std::vector<kafka::NewMessage> messages);

 private:
  kafka::TopicWatch topic_;
  boost::asio::thread_pool closing_{1};  // closes Kafka handles
  kafka::Producer producer_;
  observe::Counter& queued_;
  observe::Counter& undelivered_;
};

}  // namespace shopbell::custom_events
