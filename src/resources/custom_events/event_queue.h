// EventQueue: Kafka in front of the database, for events whose senders need not know at once what
// becomes of them. It takes them faster than the database can, and while the database is away;
// while Kafka itself is away it is closed, and events go to the database as ever.
#pragma once

#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "kafka/producer.h"
#include "kafka/topic_watch.h"
#include "observe/metrics.h"

namespace shopbell::custom_events {

class EventQueue {
 public:
  EventQueue(boost::asio::io_context& loop, const kafka::Settings& brokers,
             const kafka::TopicRules& topic, observe::Metrics& metrics);

  // The topic: to be run on the loop, and asked from any thread.
  kafka::TopicWatch& topic() { return topic_; }
  const kafka::TopicWatch& topic() const { return topic_; }

  // One for each, in their order, from any thread. What cannot be delivered closes the topic until
  // it is looked at.
  boost::asio::awaitable<std::vector<kafka::Delivery>> put(std::vector<kafka::NewMessage> messages);

 private:
  kafka::TopicWatch topic_;
  kafka::Producer producer_;
  observe::Counter& queued_;
  observe::Counter& undelivered_;
};

}  // namespace shopbell::custom_events
