#include "kafka/admin.h"

#include <algorithm>
#include <array>
#include <format>
#include <limits>
#include <span>

#include "base/limits.h"
#include "kafka/library.h"

namespace shopbell::kafka {

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// With fewer copies, the loss of one machine can lose acknowledged messages.
constexpr int kReplicasLeast = 3;
constexpr int kInsyncLeast = 2;

struct OptionsEnd {
  void operator()(rd_kafka_AdminOptions_t* options) const {
    library().rd_kafka_AdminOptions_destroy(options);
  }
};
using AdminOptions = std::unique_ptr<rd_kafka_AdminOptions_t, OptionsEnd>;

AdminOptions options_for(rd_kafka_t* handle, rd_kafka_admin_op_t operation, void* ask) {
  AdminOptions options{library().rd_kafka_AdminOptions_new(handle, operation)};
  std::array<char, 256> why{};
  library().rd_kafka_AdminOptions_set_request_timeout(
      options.get(), static_cast<int>(milliseconds{limits::kKafkaPatience}.count()), why.data(),
      why.size());
  library().rd_kafka_AdminOptions_set_opaque(options.get(), ask);
  return options;
}

void read_partitions(const rd_kafka_TopicDescription_t* described, Topic& topic) {
  const Library& rd = library();
  std::size_t count = 0;
  const auto** partitions = rd.rd_kafka_TopicDescription_partitions(described, &count);
  topic.partitions = static_cast<int>(count);
  topic.replicas = std::numeric_limits<int>::max();
  topic.insync = std::numeric_limits<int>::max();
  topic.led = true;
  for (const auto* partition : std::span{partitions, count}) {
    std::size_t replicas = 0;
    rd.rd_kafka_TopicPartitionInfo_replicas(partition, &replicas);
    topic.replicas = std::min(topic.replicas, static_cast<int>(replicas));
    std::size_t insync = 0;
    rd.rd_kafka_TopicPartitionInfo_isr(partition, &insync);
    topic.insync = std::min(topic.insync, static_cast<int>(insync));
    if (rd.rd_kafka_TopicPartitionInfo_leader(partition) == nullptr) topic.led = false;
  }
}

void read_configs(const rd_kafka_ConfigResource_t* resource, Topic& topic) {
  const Library& rd = library();
  std::size_t count = 0;
  const auto** entries = rd.rd_kafka_ConfigResource_configs(resource, &count);
  for (const auto* entry : std::span{entries, count}) {
    const std::string_view name = rd.rd_kafka_ConfigEntry_name(entry);
    const char* text = rd.rd_kafka_ConfigEntry_value(entry);
    const std::string value = text == nullptr ? "" : text;
    if (name == "min.insync.replicas") topic.insync_least = std::atoi(value.c_str());
    if (name == "unclean.leader.election.enable") topic.unclean = value == "true";
    if (name == "cleanup.policy") topic.compacted = value.contains("compact");
    if (name == "max.message.bytes")
      topic.message_bytes = std::strtoull(value.c_str(), nullptr, 10);
  }
}

}  // namespace

std::string risk_of(const Topic& topic) {
  if (topic.replicas < kReplicasLeast)
    return std::format("it has {} replicas, and {} are needed", topic.replicas, kReplicasLeast);
  if (topic.insync_least < kInsyncLeast)
    return std::format("min.insync.replicas is {}, and {} are needed", topic.insync_least,
                       kInsyncLeast);
  if (topic.unclean) return "unclean.leader.election.enable is true: a leader may lack messages";
  if (topic.compacted) return "cleanup.policy compacts it: messages of one key replace each other";
  return {};
}

std::string closed_because(const Topic& topic) {
  if (!topic.led) return "some partitions have no leader";
  if (topic.insync < topic.insync_least) return "some partitions have too few replicas in sync";
  return {};
}

// Owns an event of librdkafka.
struct Admin::Answer {
  Client::Event* event = nullptr;

  explicit Answer(Client::Event* taken) : event{taken} {}
  Answer(Answer&& other) noexcept : event{std::exchange(other.event, nullptr)} {}
  Answer& operator=(Answer&&) = delete;
  ~Answer() {
    if (event != nullptr) library().rd_kafka_event_destroy(event);
  }
};

Admin::Admin(asio::io_context& loop, const Settings& settings)
    : client_{std::make_shared<Client>(loop, Client::Kind::producer, settings, Client::Options{})},
      bell_{loop.get_executor()} {
  client_->start([this] { bell_.ring(); });
}

void* Admin::next_ask() {
  return reinterpret_cast<void*>(++ask_);  // NOLINT(performance-no-int-to-ptr): never dereferenced
}

asio::awaitable<Admin::Answer> Admin::answer() {
  const Library& rd = library();
  const auto end = runtime::Steady::now() + limits::kKafkaPatience + 1s;
  while (runtime::Steady::now() < end) {
    while (Client::Event* event = client_->poll()) {
      Answer answer{event};
      if (rd.rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR) {
        trouble_ = rd.rd_kafka_event_error_string(event);
        if (rd.rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN)
          throw Error{trouble_};
        continue;
      }
      if (reinterpret_cast<std::uintptr_t>(rd.rd_kafka_event_opaque(event)) != ask_) continue;
      if (rd.rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR) co_return answer;
      const std::string why = rd.rd_kafka_event_error_string(event);
      throw Error{trouble_.empty() ? why : trouble_};
    }
    co_await bell_.wait_for(end - runtime::Steady::now());
  }
  throw Error{trouble_.empty() ? "no broker answers" : trouble_};
}

asio::awaitable<std::optional<Topic>> Admin::describe(std::string name) {
  const Library& rd = library();
  trouble_.clear();
  Topic topic;
  {
    const char* names[] = {name.c_str()};
    auto* wanted = rd.rd_kafka_TopicCollection_of_topic_names(names, 1);
    rd.rd_kafka_DescribeTopics(
        client_->handle(), wanted,
        options_for(client_->handle(), RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, next_ask()).get(),
        client_->queue());
    rd.rd_kafka_TopicCollection_destroy(wanted);
    const Answer reply = co_await answer();
    std::size_t count = 0;
    const auto** topics = rd.rd_kafka_DescribeTopics_result_topics(
        rd.rd_kafka_event_DescribeTopics_result(reply.event), &count);
    const auto* error = rd.rd_kafka_TopicDescription_error(topics[0]);
    const auto code = error == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd.rd_kafka_error_code(error);
    if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) co_return std::nullopt;
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) throw Error{rd.rd_kafka_error_string(error)};
    topic.id = rd.rd_kafka_Uuid_base64str(rd.rd_kafka_TopicDescription_topic_id(topics[0]));
    read_partitions(topics[0], topic);
  }
  auto* asked = rd.rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name.c_str());
  rd.rd_kafka_DescribeConfigs(
      client_->handle(), &asked, 1,
      options_for(client_->handle(), RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, next_ask()).get(),
      client_->queue());
  rd.rd_kafka_ConfigResource_destroy(asked);
  const Answer reply = co_await answer();
  std::size_t count = 0;
  const auto** resources = rd.rd_kafka_DescribeConfigs_result_resources(
      rd.rd_kafka_event_DescribeConfigs_result(reply.event), &count);
  if (rd.rd_kafka_ConfigResource_error(resources[0]) != RD_KAFKA_RESP_ERR_NO_ERROR)
    throw Error{rd.rd_kafka_ConfigResource_error_string(resources[0])};
  read_configs(resources[0], topic);
  co_return topic;
}

asio::awaitable<void> Admin::create(std::string name, Shape shape) {
  co_await request_topic(name, shape);
  // Brokers learn of the topic one after the other.
  const auto end = runtime::Steady::now() + limits::kKafkaPatience;
  while (runtime::Steady::now() < end) {
    const auto topic = co_await describe(name);
    if (topic && topic->led) co_return;
    co_await runtime::sleep_for(50ms);
  }
  throw Error{"the topic was created but does not appear"};
}

asio::awaitable<void> Admin::request_topic(std::string name, Shape shape) {
  const Library& rd = library();
  trouble_.clear();
  std::array<char, 256> why{};
  auto* wanted = rd.rd_kafka_NewTopic_new(name.c_str(), shape.partitions, shape.replicas,
                                          why.data(), why.size());
  if (wanted == nullptr) throw Error{why.data()};
  const auto set = [&](const char* setting, const std::string& value) {
    rd.rd_kafka_NewTopic_set_config(wanted, setting, value.c_str());
  };
  set("min.insync.replicas", std::to_string(shape.insync_least));
  set("unclean.leader.election.enable", "false");
  set("cleanup.policy", "delete");
  set("retention.ms", std::to_string(milliseconds{limits::kKafkaKept}.count()));
  set("max.message.bytes", std::to_string(limits::kKafkaMessageBytes));
  rd.rd_kafka_CreateTopics(
      client_->handle(), &wanted, 1,
      options_for(client_->handle(), RD_KAFKA_ADMIN_OP_CREATETOPICS, next_ask()).get(),
      client_->queue());
  rd.rd_kafka_NewTopic_destroy(wanted);
  const Answer reply = co_await answer();
  std::size_t count = 0;
  const auto** results = rd.rd_kafka_CreateTopics_result_topics(
      rd.rd_kafka_event_CreateTopics_result(reply.event), &count);
  const auto error = rd.rd_kafka_topic_result_error(results[0]);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS)
    co_return;
  const char* message = rd.rd_kafka_topic_result_error_string(results[0]);
  throw Error{message != nullptr ? message : rd.rd_kafka_err2str(error)};
}

}  // namespace shopbell::kafka
