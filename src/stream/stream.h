// Stream: publishes every event of the log to a Kafka topic, for the company's other systems. A
// partition is a group of lanes, so the events of a contact stay in order. The position is kept in
// the database and moves only past events that are durable on the brokers; after a failure,
// publishing resumes there. So consumers see every event at least once, and the first time in
// order.
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
  // Runs on the loop of the log.
  Stream(boost::asio::io_context& loop, kafka::Settings brokers, kafka::TopicRules topic,
         observe::Metrics& metrics);

  // Returns the reader for the log; the stream must outlive the log.
  event_log::Reader reader();
  // Returns the watch of the topic. Run it on the loop; query it from any thread.
  kafka::TopicWatch& topic() { return topic_; }

  // Drops messages that brokers have not acknowledged. Call it on the loop.
  void stop();

 private:
  event_log::Begun publish(std::span<const event_log::Entry> entries);
  boost::asio::awaitable<void> await_durable(std::shared_ptr<kafka::PendingDelivery> messages);
  void drop_producer();

  boost::asio::io_context& loop_;
  const kafka::Settings brokers_;
  const std::string name_;
  kafka::TopicWatch topic_;
  boost::asio::thread_pool closing_{1};        // closes Kafka handles, one after the other
  std::unique_ptr<kafka::Producer> producer_;  // reset after a failed delivery
  // True while the previous producer closes. It may still send messages.
  bool is_closing_ = false;
  bool stopping_ = false;
  observe::Counter& published_;
  observe::Counter& producers_;
};

}  // namespace shopbell::stream
