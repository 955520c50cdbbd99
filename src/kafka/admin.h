// Admin: what a topic is made of, and making one.
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
  std::string id;  // of this very topic: another of the same name has another
  int partitions = 0;
  int replicas = 0;      // of the partition with the fewest
  int insync = 0;        // of the partition with the fewest in sync
  int insync_least = 0;  // min.insync.replicas
  bool unclean = false;  // a replica that lags behind may become the leader
  bool compacted = false;
  bool led = false;               // every partition has a leader
  std::size_t message_bytes = 0;  // the largest it takes
};

// What of a topic could lose what was acknowledged; empty when nothing could.
std::string risk_of(const Topic& topic);
// Why nothing can be put into it now; empty when something can.
std::string closed_because(const Topic& topic);

class Admin {
 public:
  Admin(asio::io_context& loop, const Settings& settings);

  // Nothing when there is no such topic. Throws Error when no broker answers. One call at a time.
  asio::awaitable<std::optional<Topic>> describe(std::string name);

  // Returns when it can be used. Throws Error when it cannot be made; that it is there already is
  // none.
  struct Shape {
    int partitions = 1;
    int replicas = 1;
    int insync_least = 1;
  };
  asio::awaitable<void> create(std::string name, Shape shape);

 private:
  struct Answer;
  asio::awaitable<void> ask_for(std::string name, Shape shape);
  void* next_ask();
  asio::awaitable<Answer> answer();

  std::shared_ptr<Client> client_;
  runtime::Bell bell_;
  std::uintptr_t ask_ = 0;  // the number of the last question, to tell its answer from late ones
  std::string trouble_;
};

}  // namespace shopbell::kafka
