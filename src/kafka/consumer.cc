#include "kafka/consumer.h"

#include <format>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "kafka/library.h"

namespace shopbell::kafka {

namespace {

Client::Options options() {
  return {{"group.id", "shopbell"},  // librdkafka requires a name; the group is never joined
          {"enable.auto.commit", "false"},
          {"enable.auto.offset.store", "false"},
          {"auto.offset.reset", "error"},
          {"enable.partition.eof", "false"},
          {"fetch.wait.max.ms", "100"},
          {"fetch.min.bytes", "65536"},
          {"fetch.error.backoff.ms", "100"},
          {"queued.max.messages.kbytes", std::to_string(limits::kKafkaFetched / 1024)}};
}

std::string_view bytes_of(const void* data, std::size_t size) {
  return {static_cast<const char*>(data), size};
}

std::optional<std::string> header_of(const rd_kafka_message_t& message, const char* name) {
  rd_kafka_headers_t* headers = nullptr;  // owned by the message
  const void* text = nullptr;
  std::size_t size = 0;
  const Library& rd = library();
  if (rd.rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
      rd.rd_kafka_header_get_last(headers, name, &text, &size) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return std::nullopt;
  return std::string{bytes_of(text, size)};
}

// Brokers are unreachable, or leadership moves: librdkafka retries by itself.
bool is_transient(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
         error == RD_KAFKA_RESP_ERR__RESOLVE || error == RD_KAFKA_RESP_ERR__TIMED_OUT ||
         error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
         error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
         error == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;  // harmless: no group is used
}

}  // namespace

Consumer::Consumer(asio::io_context& loop, const Settings& settings, std::string topic)
    : topic_{std::move(topic)},
      client_{std::make_shared<Client>(loop, Client::Kind::consumer, settings, options())},
      bell_{loop.get_executor()} {
  client_->start([this] { bell_.ring(); });
}

void Consumer::assign(const std::vector<Place>& places) {
  const Library& rd = library();
  auto* list = rd.rd_kafka_topic_partition_list_new(static_cast<int>(places.size()));
  for (const auto& place : places)
    rd.rd_kafka_topic_partition_list_add(list, topic_.c_str(), place.partition)->offset =
        place.offset.value_or(RD_KAFKA_OFFSET_BEGINNING);
  const auto error = rd.rd_kafka_assign(client_->handle(), list);
  rd.rd_kafka_topic_partition_list_destroy(list);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw Error{rd.rd_kafka_err2str(error)};
}

std::optional<std::int64_t> Consumer::end_of(std::int32_t partition) const {
  std::int64_t low = 0;
  std::int64_t high = RD_KAFKA_OFFSET_INVALID;
  library().rd_kafka_get_watermark_offsets(client_->handle(), topic_.c_str(), partition, &low,
                                           &high);
  return high < 0 ? std::nullopt : std::optional{high};
}

asio::awaitable<std::int64_t> Consumer::query_end(std::int32_t partition) {
  // Copies the arguments: the call may outlive this object.
  co_return co_await asio::co_spawn(
      asking_,
      [](std::shared_ptr<Client> client, std::string topic,
         std::int32_t asked) -> asio::awaitable<std::int64_t> {
        std::int64_t low = 0;
        std::int64_t high = 0;
        const auto error = library().rd_kafka_query_watermark_offsets(
            client->handle(), topic.c_str(), asked, &low, &high,
            static_cast<int>(std::chrono::milliseconds{limits::kKafkaPatience}.count()));
        if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw Error{library().rd_kafka_err2str(error)};
        co_return high;
      }(client_, topic_, partition),
      asio::use_awaitable);
}

// Returns false if a partition cannot be read any further.
bool Consumer::take(Client::Event* event, std::vector<Message>& messages) {
  const Library& rd = library();
  if (rd.rd_kafka_event_type(event) == RD_KAFKA_EVENT_FETCH) {
    while (const rd_kafka_message_t* message = rd.rd_kafka_event_message_next(event)) {
      if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        trouble_ =
            std::format("partition {}: {}", message->partition, rd.rd_kafka_err2str(message->err));
        if (!is_transient(message->err)) return false;
        continue;
      }
      trouble_.clear();
      messages.push_back({.partition = message->partition,
                          .offset = message->offset,
                          .key = std::string{bytes_of(message->key, message->key_len)},
                          .value = std::string{bytes_of(message->payload, message->len)},
                          .origin = header_of(*message, Origin::kHeader).and_then(Origin::parse),
                          .signature = header_of(*message, kSignatureHeader)});
    }
  } else if (rd.rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR) {
    trouble_ = rd.rd_kafka_event_error_string(event);
    return is_transient(rd.rd_kafka_event_error(event));
  }
  return true;
}

asio::awaitable<std::vector<Message>> Consumer::next(std::size_t most,
                                                     runtime::Steady::duration wait) {
  const auto end = runtime::Steady::now() + wait;
  std::vector<Message> messages;
  while (true) {
    while (messages.size() < most) {
      Client::Event* event = client_->poll();
      if (event == nullptr) break;
      const bool goes_on = take(event, messages);
      library().rd_kafka_event_destroy(event);
      if (!goes_on) throw Error{trouble_};
    }
    const auto left = end - runtime::Steady::now();
    if (!messages.empty() || left <= runtime::Steady::duration::zero()) co_return messages;
    co_await bell_.wait_for(left);
  }
}

}  // namespace shopbell::kafka
