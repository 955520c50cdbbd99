// bare_producer BROKERS TOPIC COUNT BYTES: baseline of bench/stream. Sends COUNT messages of BYTES
// bytes to a topic with librdkafka alone, with settings like the service's. Prints messages per
// second, until all are durable.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <format>
#include <stdexcept>
#include <string>

#include <librdkafka/rdkafka.h>

namespace {

constexpr int kPartitions = 64;

[[noreturn]] void fail(const char* what, rd_kafka_resp_err_t why) {
  std::fprintf(stderr, "%s: %s\n", what, rd_kafka_err2str(why));
  std::exit(1);
}

void on_report(rd_kafka_t* /*producer*/, const rd_kafka_message_t* message, void* /*opaque*/) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) fail("not delivered", message->err);
}

rd_kafka_t* make_producer(const char* brokers) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char why[512];
  const std::pair<const char*, const char*> settings[] = {
      {"bootstrap.servers", brokers},
      {"enable.idempotence", "true"},
      {"acks", "all"},
      {"message.timeout.ms", "0"},
      {"linger.ms", "5"},
      {"compression.type", "lz4"},
      {"queue.buffering.max.messages", "200000"}};
  for (const auto& [name, value] : settings)
    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) != RD_KAFKA_CONF_OK)
      throw std::runtime_error{std::format("{}: {}", name, why)};
  rd_kafka_conf_set_dr_msg_cb(conf, on_report);
  rd_kafka_t* producer = rd_kafka_new(RD_KAFKA_PRODUCER, conf, why, sizeof why);
  if (producer == nullptr) throw std::runtime_error{why};
  return producer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("bare_producer BROKERS TOPIC COUNT BYTES\n", stderr);
    return 2;
  }
  const long count = std::atol(argv[3]);
  const auto bytes = static_cast<std::size_t>(std::atol(argv[4]));
  rd_kafka_t* producer = make_producer(argv[1]);
  rd_kafka_topic_t* topic = rd_kafka_topic_new(producer, argv[2], nullptr);
  const auto began = std::chrono::steady_clock::now();
  std::string value;
  for (long i = 0; i < count; ++i) {
    // Each message has different content, as events do.
    value = std::format(R"({{"account":"7308996261111252204","id":"{:032x}","n":{},"text":")",
                        i * 7919, i);
    while (value.size() < bytes) value += std::format("{:x}", std::hash<std::string>{}(value));
    value.resize(bytes);
    const std::string key = std::format("{:036}", i % 10'000);
    while (rd_kafka_produce(topic, static_cast<std::int32_t>(i % kPartitions), RD_KAFKA_MSG_F_COPY,
                            value.data(), value.size(), key.data(), key.size(), nullptr) != 0) {
      if (const auto why = rd_kafka_last_error(); why != RD_KAFKA_RESP_ERR__QUEUE_FULL)
        fail("not accepted", why);
      rd_kafka_poll(producer, 1);
    }
    rd_kafka_poll(producer, 0);
  }
  while (rd_kafka_outq_len(producer) > 0) rd_kafka_poll(producer, 10);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  rd_kafka_topic_destroy(topic);
  rd_kafka_destroy(producer);
  std::printf("%.0f\n", static_cast<double>(count) / took.count());
  return 0;
}
