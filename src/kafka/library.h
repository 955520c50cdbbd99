// Library: librdkafka, loaded when the first client is created. Installations without Kafka do not
// need it.
#pragma once

#include <librdkafka/rdkafka.h>

namespace shopbell::kafka {

// The functions in use.
// clang-format off
#define SHOPBELL_KAFKA_FUNCTIONS(each) \
  each(rd_kafka_conf_new) \
  each(rd_kafka_conf_destroy) \
  each(rd_kafka_conf_set) \
  each(rd_kafka_conf_set_events) \
  each(rd_kafka_conf_set_log_cb) \
  each(rd_kafka_new) \
  each(rd_kafka_destroy_flags) \
  each(rd_kafka_err2str) \
  each(rd_kafka_purge) \
  each(rd_kafka_outq_len) \
  each(rd_kafka_topic_new) \
  each(rd_kafka_topic_destroy) \
  each(rd_kafka_produceva) \
  each(rd_kafka_message_headers) \
  each(rd_kafka_header_get_last) \
  each(rd_kafka_message_status) \
  each(rd_kafka_poll_set_consumer) \
  each(rd_kafka_assign) \
  each(rd_kafka_get_watermark_offsets) \
  each(rd_kafka_query_watermark_offsets) \
  each(rd_kafka_topic_partition_list_new) \
  each(rd_kafka_topic_partition_list_add) \
  each(rd_kafka_topic_partition_list_destroy) \
  each(rd_kafka_queue_get_main) \
  each(rd_kafka_queue_get_consumer) \
  each(rd_kafka_queue_destroy) \
  each(rd_kafka_queue_poll) \
  each(rd_kafka_queue_io_event_enable) \
  each(rd_kafka_event_type) \
  each(rd_kafka_event_destroy) \
  each(rd_kafka_event_error) \
  each(rd_kafka_event_error_string) \
  each(rd_kafka_event_error_is_fatal) \
  each(rd_kafka_event_opaque) \
  each(rd_kafka_event_message_next) \
  each(rd_kafka_AdminOptions_new) \
  each(rd_kafka_AdminOptions_destroy) \
  each(rd_kafka_AdminOptions_set_request_timeout) \
  each(rd_kafka_AdminOptions_set_opaque) \
  each(rd_kafka_NewTopic_new) \
  each(rd_kafka_NewTopic_destroy) \
  each(rd_kafka_NewTopic_set_config) \
  each(rd_kafka_CreateTopics) \
  each(rd_kafka_event_CreateTopics_result) \
  each(rd_kafka_CreateTopics_result_topics) \
  each(rd_kafka_topic_result_error) \
  each(rd_kafka_topic_result_error_string) \
  each(rd_kafka_TopicCollection_of_topic_names) \
  each(rd_kafka_TopicCollection_destroy) \
  each(rd_kafka_DescribeTopics) \
  each(rd_kafka_event_DescribeTopics_result) \
  each(rd_kafka_DescribeTopics_result_topics) \
  each(rd_kafka_TopicDescription_error) \
  each(rd_kafka_error_code) \
  each(rd_kafka_error_destroy) \
  each(rd_kafka_error_string) \
  each(rd_kafka_TopicDescription_topic_id) \
  each(rd_kafka_Uuid_base64str) \
  each(rd_kafka_TopicDescription_partitions) \
  each(rd_kafka_TopicPartitionInfo_leader) \
  each(rd_kafka_TopicPartitionInfo_replicas) \
  each(rd_kafka_TopicPartitionInfo_isr) \
  each(rd_kafka_ConfigResource_new) \
  each(rd_kafka_ConfigResource_destroy) \
  each(rd_kafka_DescribeConfigs) \
  each(rd_kafka_event_DescribeConfigs_result) \
  each(rd_kafka_DescribeConfigs_result_resources) \
  each(rd_kafka_ConfigResource_error) \
  each(rd_kafka_ConfigResource_error_string) \
  each(rd_kafka_ConfigResource_configs) \
  each(rd_kafka_ConfigEntry_name) \
  each(rd_kafka_ConfigEntry_value)
// clang-format on

// librdkafka's functions, under their own names.
struct Library {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member
#define SHOPBELL_KAFKA_MEMBER(name) decltype(&::name) name = nullptr;
  SHOPBELL_KAFKA_FUNCTIONS(SHOPBELL_KAFKA_MEMBER)
#undef SHOPBELL_KAFKA_MEMBER
};

// Loads librdkafka at the first call. Throws Error if it is missing or too old.
const Library& library();

}  // namespace shopbell::kafka
