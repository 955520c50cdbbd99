#include "app/config/kafka_setup.h"

#include <format>

#include "app/config/file_storage.h"
#include "base/limits.h"
#include "observe/log.h"

namespace shopbell::app {

namespace {

boost::asio::awaitable<void> require_safe(kafka::Admin& admin, kafka::TopicRules rules) {
  const auto found = co_await kafka::prepare(admin, std::move(rules));
  if (!found.refusal.empty()) throw ConfigError{std::format("kafka: {}", found.refusal)};
}

boost::asio::awaitable<void> require_all_safe(boost::asio::io_context& loop,
                                              const KafkaConfig& config) {
  kafka::Admin admin{loop, brokers_of(config)};
  try {
    for (const auto& rules : topic_rules(config)) co_await require_safe(admin, rules);
  } catch (const kafka::Error& error) {
    observe::log(observe::Level::warn, "kafka away", {{"why", error.what()}});
  }
}

}  // namespace

kafka::Settings brokers_of(const KafkaConfig& config) {
  kafka::Settings settings{.brokers = config.brokers,
                           .tls = config.tls,
                           .ca_file = config.tls_ca_file,
                           .certificate = config.tls_certificate,
                           .key = config.tls_key,
                           .sasl_mechanism = config.sasl_mechanism,
                           .user = config.sasl_user};
  if (!config.sasl_mechanism.empty())
    settings.password = secret_in(config.sasl_password_file, "kafka.sasl_password_file");
  return settings;
}

kafka::TopicRules intake_rules(const KafkaConfig& config) {
  return {.name = config.intake_topic,
          .partitions = static_cast<int>(config.intake_partitions),
          .partitions_setting = "kafka.intake_partitions",
          .allow_single_broker = config.allow_single_broker};
}

kafka::TopicRules stream_rules(const KafkaConfig& config) {
  return {.name = config.stream_topic,
          .partitions = limits::kStreamPartitions,
          .allow_single_broker = config.allow_single_broker};
}

std::vector<kafka::TopicRules> topic_rules(const KafkaConfig& config) {
  std::vector<kafka::TopicRules> all{intake_rules(config), stream_rules(config)};
  std::erase_if(all, [](const kafka::TopicRules& rules) { return rules.name.empty(); });
  return all;
}

void require_safe_topics(const KafkaConfig& config) {
  if (config.brokers.empty()) return;
  try {
    boost::asio::io_context loop{1};
    runtime::run_to_end(loop, require_all_safe(loop, config));
  } catch (const kafka::Error& error) {
    throw ConfigError{std::format("kafka: {}", error.what())};
  }
}

}  // namespace shopbell::app
