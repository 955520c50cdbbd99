// Stream: every event of the log to a topic of Kafka, for the company's other systems. A partition
// is a group of lanes, so the events of a contact stay in order. How far it has come is known in
// the database and moves only behind what is durable on the brokers: whatever is in doubt is told
// again, from there on. So consumers see every event at least once, and the first time in order.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "event_log/reader.h"
#include "kafka/producer.h"
#include "kafka/topic_watch.h"
#include "observe/metrics.h"

namespace shopbell::stream {

class Stream {
 public:
  // On the loop of the log.
  Stream(boost::asio::io_context& loop, kafka::Settings brokers, kafka::TopicRules topic,
         observe::Metrics& metrics);

  // To be given to the log, which it outlives.
  event_log::Reader reader();
  // The topic: to be run on the loop, and asked from any thread.
  kafka::TopicWatch& topic() { return topic_; }

  // Gives up what brokers have not taken; on the loop.
  void stop();

 private:
  event_log::Begun publish(std::span<const event_log::Entry> entries);
  boost::asio::awaitable<void> durable(std::shared_ptr<kafka::Handed> messages);

  boost::asio::io_context& loop_;
  const kafka::Settings brokers_;
  const std::string name_;
  kafka::TopicWatch topic_;
  std::unique_ptr<kafka::Producer> producer_;  // until it fails
  bool stopping_ = false;
  observe::Counter& published_;
  observe::Counter& begun_;
};

}  // namespace shopbell::stream
