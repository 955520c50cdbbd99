// TopicWatch: looks after one topic of ours. It makes it when it is not there, says whether it can
// be used now and why not, and finds out by itself when that has changed.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "kafka/admin.h"
#include "observe/metrics.h"
#include "runtime/wait.h"

namespace shopbell::kafka {

struct TopicRules {
  std::string name;
  int partitions = 1;
  bool allow_single_broker = false;  // the loss of one broker may then lose messages
};

// Why a topic must not be used for what the rules are of; empty when it may.
std::string refusal_of(const Topic& topic, const TopicRules& rules);

// The topic as it is, made when there is none.
struct PreparedTopic {
  Topic topic;
  std::string refusal;
};
// Throws Error when nobody answers.
asio::awaitable<PreparedTopic> prepare(Admin& admin, TopicRules rules);

class TopicWatch {
 public:
  // `open` shows whether it can be used.
  TopicWatch(asio::io_context& loop, const Settings& settings, TopicRules rules,
             observe::Gauge& open);

  // On the loop, until stop().
  asio::awaitable<void> run();
  void stop();

  // From any thread. Whether it can be used.
  bool is_open() const { return open_; }
  // Why not; empty when it can.
  std::string trouble() const;
  // What it is, once that is known.
  std::optional<Topic> topic() const;
  // Something was not taken: it is closed until it has been looked at.
  void close(const std::string& why);

 private:
  asio::awaitable<void> look();

  const TopicRules rules_;
  Admin admin_;
  runtime::Bell bell_;
  std::atomic<bool> open_ = false;
  bool stopping_ = false;
  mutable std::mutex mutex_;
  std::string trouble_ = "not looked at yet";
  std::optional<Topic> topic_;
  observe::Gauge& shown_;
};

}  // namespace shopbell::kafka
