// Producer: messages to one topic, each told of once it is durable on enough brokers (acks=all).
// librdkafka repeats what fails by itself, without making two of one (idempotence); what is given
// up on is said for what it is: never there, or perhaps there.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
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

enum class Delivery {
  durable,
  failed,   // it is not there and will not be
  unknown,  // it may be there, or come to be
};

// Messages on their way.
class Handed {
 public:
  explicit Handed(const asio::any_io_executor& executor) : ended_{executor} {}

  // One for each, in their order, once all are known. By one caller, once.
  asio::awaitable<std::vector<Delivery>> wait();
  void end(std::vector<Delivery> deliveries);

 private:
  runtime::Bell ended_;
  std::vector<Delivery> deliveries_;
};

class Producer {
 public:
  struct Limits {
    std::chrono::milliseconds give_up{0};  // how long a call waits, about; 0: without end
    std::chrono::milliseconds linger{2};   // how long a message waits for others to go with it
    bool numbered = false;                 // each message says its Origin
    // The first message that is not taken is the end of it: what is sent later fails, rather than
    // go before what was lost.
    bool once = false;
    std::size_t batch_bytes = 1'000'000;  // that go together, if each is not larger
  };

  // Delivery reports are read on `loop`. Throws Error when librdkafka refuses the settings.
  Producer(asio::io_context& loop, Settings settings, std::string topic, Limits limits);
  ~Producer();

  // One for each, in their order, once all are known; on the caller's own loop, from any thread.
  // Messages of one call to one partition keep their order there, as far as they arrive.
  asio::awaitable<std::vector<Delivery>> deliver(std::vector<NewMessage> messages);
  // Hands as many over as are made one after the other: the first are on their way meanwhile, and
  // all are when it returns. On the producer's loop; one for which `make` throws has failed.
  using Make = std::function<NewMessage(std::size_t index)>;
  std::shared_ptr<Handed> hand_over(std::size_t count, const Make& make);

  // What librdkafka said last that went wrong.
  std::string trouble() const;

 private:
  class Waiting;
  struct Batch;
  struct Way;

  using Done = asio::any_completion_handler<void(std::vector<Delivery>)>;
  std::shared_ptr<Way> way();
  void send(std::size_t count, const Make& make, asio::any_io_executor executor, Done done);
  void renew(const std::shared_ptr<Way>& broken);
  void watch(const std::shared_ptr<Way>& way);
  void end(std::shared_ptr<Way> way);

  asio::io_context& loop_;
  const Settings settings_;
  const std::string topic_;
  const Limits limits_;
  mutable std::mutex mutex_;  // callers come from every loop
  std::shared_ptr<Way> way_;
  std::shared_ptr<Way> former_;  // given up on, for a moment more
  bool ended_ = false;           // of one that begins once
  std::string trouble_;
  asio::thread_pool ending_{1};  // where handles end
};

}  // namespace shopbell::kafka
