// TopicWatch: watches one of Shopbell's topics. It creates a missing topic, reports whether the
// topic can be used and why not, and rechecks by itself.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "kafka/admin.h"
#include "observe/metrics.h"
#include "runtime/wait.h"

namespace shopbell::kafka {

struct TopicRules {
  std::string name;
  int partitions = 1;
  std::string_view partitions_setting = {};  // name of the setting; empty if the number is fixed
  bool allow_single_broker = false;  // accepts that the loss of one broker may lose messages
};

// Returns the reason why the rules forbid the topic; empty if they allow it.
std::string refusal_of(const Topic& topic, const TopicRules& rules);

// The current state of the topic, after it was created if it was missing.
struct PreparedTopic {
  Topic topic;
  std::string refusal;
};
// Throws Error if no broker answers.
asio::awaitable<PreparedTopic> prepare(Admin& admin, TopicRules rules);

class TopicWatch {
 public:
  // The gauge `open` is 1 while the topic can be used.
  TopicWatch(asio::io_context& loop, const Settings& settings, TopicRules rules,
             observe::Gauge& open);

  // Runs on the loop until stop().
  asio::awaitable<void> run();
  void stop();

  // The number of partitions that the topic must have.
  int partitions() const { return rules_.partitions; }
  // Tells whether the topic can be used. This and the following may be called from any thread.
  bool is_open() const { return open_; }
  // Returns the reason why the topic cannot be used; empty if it can.
  std::string trouble() const;
  // The topic as last seen; nullopt before the first check.
  std::optional<Topic> topic() const;
  // Closes the topic after a refused message, until the next check.
  void close(const std::string& why);

 private:
  asio::awaitable<void> check();

  const TopicRules rules_;
  Admin admin_;
  runtime::Bell bell_;
  std::atomic<bool> open_ = false;
  bool stopping_ = false;
  mutable std::mutex mutex_;
  std::string trouble_ = "not checked yet";
  std::optional<Topic> topic_;
  observe::Gauge& open_gauge_;
};

}  // namespace shopbell::kafka
