// How this process speaks to Kafka, by its configuration.
#pragma once

#include <vector>

#include "app/config/config.h"
#include "kafka/client.h"
#include "kafka/topic_watch.h"

namespace shopbell::app {

// With the password out of its file. Throws ConfigError when that cannot be read.
kafka::Settings brokers_of(const KafkaConfig& config);
kafka::TopicRules intake_rules(const KafkaConfig& config);
kafka::TopicRules stream_rules(const KafkaConfig& config);
// Of those that are configured.
std::vector<kafka::TopicRules> topic_rules(const KafkaConfig& config);

// Throws ConfigError when a topic could lose what was acknowledged, or librdkafka is not there;
// that no broker answers is no reason not to begin. Does nothing without brokers.
void require_safe_topics(const KafkaConfig& config);

}  // namespace shopbell::app
