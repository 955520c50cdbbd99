// QueueReader: writes events from Kafka to the database. Processes share the partitions by leases,
// like lanes. A partition's offset is committed in the same fenced transaction as its events. So
// every event is written exactly once, even after a crash; no offset is stored in Kafka.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "kafka/consumer.h"
#include "kafka/topic_watch.h"
#include "keyring/keyring.h"
#include "observe/metrics.h"
#include "pg/pool.h"
#include "resources/custom_events/queue_failure.h"
#include "resources/custom_events/queue_signature.h"
#include "resources/custom_events/queue_writing.h"
#include "resources/custom_events/rejected_event_store.h"
#include "runtime/wait.h"

namespace shopbell::custom_events {

class QueueReader {
 public:
  // `pulse` has the worker role, for leases; `data` has the API role, for events. The leases depend
  // on the heartbeat of `process` in the event log.
  QueueReader(boost::asio::io_context& loop, const kafka::Settings& brokers, std::string topic,
              const kafka::TopicWatch& watch, Uuid process, pg::Pool& pulse, pg::Pool& data,
              const keyring::Keyring& keyring, observe::Metrics& metrics);

  // Runs on the loop until stop(), which finishes the current batch and releases the leases.
  void start();
  boost::asio::awaitable<void> stop();

 private:
  using Messages = std::span<const kafka::Message>;

  boost::asio::awaitable<void> keep_holding();
  boost::asio::awaitable<void> renew_leases();
  boost::asio::awaitable<void> begin_signed(std::int32_t partition);
  boost::asio::awaitable<void> keep_reading();
  boost::asio::awaitable<void> read();
  void hold(HeldPartitions held);
  void forget();
  bool is_due(const kafka::Message& message) const;
  boost::asio::awaitable<void> write(Messages messages);
  // Returns nullopt if the messages were written, else the error with which they were refused.
  boost::asio::awaitable<std::optional<pg::Error>> try_to_write(Messages messages,
                                                                std::optional<Problem> reject);
  boost::asio::awaitable<QueueTally> write_within(pg::Transaction& transaction, Messages messages,
                                                  std::span<const Advance> moves,
                                                  const std::optional<Problem>& reject);
  std::vector<Advance> moves_of(Messages messages) const;
  void note_failure(const QueueFailure& failure);
  void report(const std::string& trouble);
  void report_leases(const std::string& trouble);
  void update_depth();

  boost::asio::io_context& loop_;
  const kafka::TopicWatch& watch_;
  pg::Pool& pulse_;
  pg::Pool& data_;
  const Uuid process_;
  kafka::Consumer consumer_;
  QueueWriting writing_;
  const SignatureCheck signatures_;
  const std::int64_t newest_key_;
  SignedFrom signed_from_;  // read when a batch has unsigned messages
  std::string topic_;       // the topic's id in Kafka
  HeldPartitions held_;
  std::size_t batch_max_;  // events per transaction, adapted to the time they take
  runtime::Bell beat_;
  runtime::Bell ended_;
  std::string trouble_;
  std::string lease_trouble_;
  bool stopping_ = false;
  int running_ = 0;  // number of this reader's coroutines that still run

  observe::Gauge& partitions_;
  observe::Gauge& depth_;
  observe::Counter& written_;
  observe::Counter& rejected_;
  observe::Counter& again_;
  observe::Counter& dropped_;
  observe::Counter& unreadable_;
  observe::Counter& forged_;
  observe::Counter& failures_;
  observe::Counter& batches_;
  observe::Counter& fenced_;
};

}  // namespace shopbell::custom_events
