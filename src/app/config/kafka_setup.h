// Kafka settings of this process, from its configuration.
#pragma once

#include <vector>

#include "app/config/config.h"
#include "kafka/client.h"
#include "kafka/topic_watch.h"

namespace shopbell::app {

// Returns the settings for the connection to Kafka. Throws ConfigError if the password file is bad.
kafka::Settings brokers_of(const KafkaConfig& config);
kafka::TopicRules intake_rules(const KafkaConfig& config);
kafka::TopicRules stream_rules(const KafkaConfig& config);
// The rules that every configured topic has to meet.
std::vector<kafka::TopicRules> topic_rules(const KafkaConfig& config);

// Throws ConfigError if a topic could lose acknowledged events, or librdkafka is missing. If no
// broker responds, it only logs a warning. Does nothing if no brokers are configured.
void require_safe_topics(const KafkaConfig& config);

}  // namespace shopbell::app
