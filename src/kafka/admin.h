// Admin: describes and creates topics.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "kafka/client.h"
#include "runtime/wait.h"

namespace shopbell::kafka {

struct Topic {
  std::string id;  // a recreated topic of the same name has another id
  int partitions = 0;
  int replicas = 0;      // replicas of the partition with the fewest replicas
  int insync = 0;        // in-sync replicas of the partition with the fewest
  int insync_least = 0;  // the topic's min.insync.replicas
  bool unclean = false;  // a replica that is not in sync may become the leader
  bool compacted = false;
  bool led = false;               // every partition has a leader
  std::size_t message_bytes = 0;  // the topic's max.message.bytes
};

// Returns the reason why the topic could lose acknowledged messages; empty if it could not.
std::string risk_of(const Topic& topic);
// Returns the reason why the topic cannot accept messages now; empty if it can.
std::string closed_because(const Topic& topic);

class Admin {
 public:
  Admin(asio::io_context& loop, const Settings& settings);

  // Returns nullopt if the topic is missing. Throws Error if no broker answers. One call at a time.
  asio::awaitable<std::optional<Topic>> describe(std::string name);

  // Returns when the topic can be used. Throws Error if it cannot be created; an existing topic is
  // not an error.
  struct Shape {
    int partitions = 1;
    int replicas = 1;
    int insync_least = 1;
  };
  asio::awaitable<void> create(std::string name, Shape shape);

 private:
  struct Answer;
  asio::awaitable<void> request_topic(std::string name, Shape shape);
  void* next_ask();
  asio::awaitable<Answer> answer();

  std::shared_ptr<Client> client_;
  runtime::Bell bell_;
  std::uintptr_t ask_ = 0;  // number of the last request, to tell its answer from late ones
  std::string trouble_;
};

}  // namespace shopbell::kafka
