// Consumer: reads given partitions of one topic from given offsets on. It belongs to no consumer
// group and stores nothing in Kafka: who reads what, and how far they came, is known elsewhere. An
// offset that is not there any more is an error, never a jump.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "kafka/client.h"
#include "kafka/origin.h"
#include "runtime/wait.h"

namespace shopbell::kafka {

struct Message {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::string key;
  std::string value;
  std::optional<Origin> origin;  // if its sender said one
};

struct Place {
  std::int32_t partition = 0;
  std::optional<std::int64_t> offset;  // nothing: the beginning
};

class Consumer {
 public:
  Consumer(asio::io_context& loop, const Settings& settings, std::string topic);

  // Reads these from now on, and no others.
  void assign(const std::vector<Place>& places);

  // What came, at most `most`, in order per partition; waits up to `wait` for the first. After
  // assign() nothing comes of what was assigned before. Throws Error when a partition cannot be
  // read on from its place; brokers that are away are no error, only a wait.
  asio::awaitable<std::vector<Message>> next(std::size_t most, runtime::Steady::duration wait);

  // The offset behind the last message of the partition, as far as it was heard of.
  std::optional<std::int64_t> end_of(std::int32_t partition) const;

  // What went wrong since something was read; empty when nothing did.
  const std::string& trouble() const { return trouble_; }

 private:
  bool take(Client::Event* event, std::vector<Message>& messages);

  const std::string topic_;
  std::shared_ptr<Client> client_;
  runtime::Bell bell_;
  std::string trouble_;
};

}  // namespace shopbell::kafka
