// Producer: sends messages to one topic and reports each once it is durable on enough brokers
// (acks=all). librdkafka retries by itself without duplicates (idempotence). An abandoned message
// is reported as failed (not stored) or unknown (perhaps stored).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "kafka/client.h"
#include "runtime/wait.h"

struct rd_kafka_topic_s;

namespace shopbell::kafka {

struct NewMessage {
  std::int32_t partition = 0;
  std::string key;
  std::string value;
};

// Signs a message, given the text of its origin.
using Sign = std::function<std::string(const NewMessage& message, std::string_view origin)>;

enum class Delivery {
  durable,
  failed,   // the message is not stored, and never will be
  unknown,  // the message may be stored, now or later
};

// Messages in flight.
class PendingDelivery {
 public:
  explicit PendingDelivery(const asio::any_io_executor& executor) : ended_{executor} {}

  // Returns the outcomes, in order, once all are known. Call it once.
  asio::awaitable<std::vector<Delivery>> wait();
  void end(std::vector<Delivery> deliveries);

 private:
  runtime::Bell ended_;
  std::vector<Delivery> deliveries_;
};

class Producer {
 public:
  struct Limits {
    std::chrono::milliseconds give_up{0};  // approximate timeout of a call; 0: none
    std::chrono::milliseconds linger{2};   // time that a message waits to join a batch
    bool numbered = false;                 // each message carries its Origin
    // The first message that is not accepted ends the producer: later messages fail, so that none
    // overtakes the lost one.
    bool once = false;
    std::size_t batch_bytes = 1'000'000;  // maximum of a batch; a larger message is sent alone
    Sign sign{};                          // adds a signature; only with `numbered`
  };

  // Delivery reports are read on `loop`, where the producer must also be destroyed, unless the loop
  // has ended. Handles are closed on `closing`: librdkafka joins its threads, and one of them may
  // be waiting for DNS. Throws Error when librdkafka refuses the settings.
  Producer(asio::io_context& loop, asio::thread_pool& closing, Settings settings, std::string topic,
           Limits limits);
  // Never waits: messages in flight get their outcome when `closing` has closed the handle.
  ~Producer();

  // Returns the outcomes, in order, once all are known. Call it from any thread; it resumes on the
  // caller's loop. Messages of one call to one partition keep their order there, as far as they
  // arrive.
  asio::awaitable<std::vector<Delivery>> deliver(std::vector<NewMessage> messages);
  // Sends `count` messages while `make` creates them; all are in flight when it returns. Call it on
  // the producer's loop. A message for which `make` throws has failed.
  using Make = std::function<NewMessage(std::size_t index)>;
  std::shared_ptr<PendingDelivery> start_delivery(std::size_t count, const Make& make);

  // Returns librdkafka's last error.
  std::string trouble() const;

 private:
  class Waiting;
  struct Batch;
  struct Session;

  using Done = asio::any_completion_handler<void(std::vector<Delivery>)>;
  std::shared_ptr<Session> session();
  void send(std::size_t count, const Make& make, asio::any_io_executor executor, Done done);
  void renew(const std::shared_ptr<Session>& broken);
  void watch(const std::shared_ptr<Session>& session);
  void end(std::shared_ptr<Session> session);

  asio::io_context& loop_;
  asio::thread_pool& closing_;
  const Settings settings_;
  const std::string topic_;
  const Limits limits_;
  mutable std::mutex mutex_;  // callers run on any loop
  std::shared_ptr<Session> session_;
  std::shared_ptr<Session> former_;  // abandoned; closed after a grace period
  bool ended_ = false;               // true once a producer with `once` has failed
  std::string trouble_;
};

}  // namespace shopbell::kafka
