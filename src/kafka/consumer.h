// Consumer: reads given partitions of one topic from given offsets. It joins no consumer group and
// commits no offsets to Kafka: the caller keeps assignment and positions. An offset that no longer
// exists is an error; the consumer never skips ahead.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include "kafka/client.h"
#include "kafka/origin.h"
#include "runtime/wait.h"

namespace shopbell::kafka {

struct Message {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::string key;
  std::string value;
  std::optional<Origin> origin;  // set if the producer added one
  std::optional<std::string> signature{};
};

struct Place {
  std::int32_t partition = 0;
  std::optional<std::int64_t> offset;  // nullopt: from the beginning
};

class Consumer {
 public:
  Consumer(asio::io_context& loop, const Settings& settings, std::string topic);

  // Reads these partitions from now on, and no others.
  void assign(const std::vector<Place>& places);

  // Returns up to `most` messages, in order per partition; waits up to `wait` for the first. After
  // assign() no message of an earlier assignment arrives. Throws Error if a partition cannot be
  // read from its offset. Unreachable brokers are not an error, only a wait.
  asio::awaitable<std::vector<Message>> next(std::size_t most, runtime::Steady::duration wait);

  // The offset after the partition's last message, as last seen.
  std::optional<std::int64_t> end_of(std::int32_t partition) const;
  // Asks the broker for the same offset. Throws Error if the broker does not answer.
  asio::awaitable<std::int64_t> query_end(std::int32_t partition);

  // The last error since a message was read; empty if there was none.
  const std::string& trouble() const { return trouble_; }

 private:
  bool take(Client::Event* event, std::vector<Message>& messages);

  const std::string topic_;
  std::shared_ptr<Client> client_;
  runtime::Bell bell_;
  std::string trouble_;
  asio::thread_pool asking_{1};  // runs calls that block
};

}  // namespace shopbell::kafka
