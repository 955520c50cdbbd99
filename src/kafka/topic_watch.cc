#include "kafka/topic_watch.h"

#include <format>

#include "base/limits.h"
#include "observe/log.h"

namespace shopbell::kafka {

using observe::Level;

std::string refusal_of(const Topic& topic, const TopicRules& rules) {
  if (topic.partitions != rules.partitions && !rules.partitions_setting.empty())
    return std::format(
        "topic {0} has {1} partitions, but {2} is {3}; set {2} = {1}, or add partitions to the "
        "topic",
        rules.name, topic.partitions, rules.partitions_setting, rules.partitions);
  if (topic.partitions != rules.partitions)
    return std::format("topic {} has {} partitions, and {} are needed", rules.name,
                       topic.partitions, rules.partitions);
  const std::string risk = risk_of(topic);
  if (risk.empty() || rules.allow_single_broker) return "";
  return std::format(
      "topic {} could lose acknowledged messages: {}; set kafka.allow_single_broker = true to "
      "accept the risk",
      rules.name, risk);
}

asio::awaitable<PreparedTopic> prepare(Admin& admin, TopicRules rules) {
  auto topic = co_await admin.describe(rules.name);
  if (!topic) {
    const bool single = rules.allow_single_broker;
    co_await admin.create(rules.name, {.partitions = rules.partitions,
                                       .replicas = single ? 1 : 3,
                                       .insync_least = single ? 1 : 2});
    topic = co_await admin.describe(rules.name);
    if (!topic) throw Error{"the topic was created but does not appear"};
  }
  co_return PreparedTopic{.topic = *topic, .refusal = refusal_of(*topic, rules)};
}

TopicWatch::TopicWatch(asio::io_context& loop, const Settings& settings, TopicRules rules,
                       observe::Gauge& open)
    : rules_{std::move(rules)},
      admin_{loop, settings},
      bell_{loop.get_executor()},
      open_gauge_{open} {}

asio::awaitable<void> TopicWatch::run() {
  auto due = runtime::Steady::now();
  while (!stopping_) {
    // Another loop may call close(), so `open_` is polled.
    if (!open_ || runtime::Steady::now() >= due) {
      due = runtime::Steady::now() + limits::kKafkaLook;
      try {
        co_await check();
      } catch (const Error& error) {
        close(error.what());
      }
    }
    if (!stopping_) co_await bell_.wait_for(limits::kKafkaLookSoon);
  }
}

void TopicWatch::stop() {
  stopping_ = true;
  open_ = false;
  bell_.ring();
}

asio::awaitable<void> TopicWatch::check() {
  const PreparedTopic found = co_await prepare(admin_, rules_);
  if (!found.refusal.empty()) throw Error{found.refusal};
  if (const std::string why = closed_because(found.topic); !why.empty()) throw Error{why};
  {
    const std::scoped_lock lock{mutex_};
    trouble_.clear();
    topic_ = found.topic;
  }
  if (stopping_ || open_.exchange(true)) co_return;
  open_gauge_.set(1);
  observe::log(Level::info, "kafka topic open", {{"topic", rules_.name}});
}

void TopicWatch::close(const std::string& why) {
  bool changed = false;
  {
    const std::scoped_lock lock{mutex_};
    changed = trouble_ != why;
    trouble_ = why;
  }
  open_gauge_.set(0);
  if (open_.exchange(false) || changed)
    observe::log(Level::warn, "kafka topic closed", {{"topic", rules_.name}, {"why", why}});
}

std::string TopicWatch::trouble() const {
  const std::scoped_lock lock{mutex_};
  return trouble_;
}

std::optional<Topic> TopicWatch::topic() const {
  const std::scoped_lock lock{mutex_};
  return topic_;
}

}  // namespace shopbell::kafka
