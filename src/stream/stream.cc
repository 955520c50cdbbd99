#include "stream/stream.h"

#include <algorithm>
#include <format>

#include <boost/asio/post.hpp>

#include "base/limits.h"
#include "events/event_kinds.h"
#include "stream/message.h"

namespace shopbell::stream {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kEnvelopeBytes = 1024;     // added by Kafka to one message
constexpr std::size_t kOutsidePayload = 16'384;  // upper bound of a message without its payload

// No timeout: a message that the producer gives up on could still arrive, after later ones. Batches
// are bounded too, because the broker checks the size of the whole batch.
kafka::Producer::Limits producer_limits(std::size_t most) {
  kafka::Producer::Limits chosen{.give_up = 0ms, .linger = 1ms, .once = true};
  chosen.batch_bytes = std::min(chosen.batch_bytes, most);
  return chosen;
}

void require_room(const event_log::Entry& entry, std::size_t most) {
  if ((entry.payload ? entry.payload->size() : 0) + kOutsidePayload <= most) return;
  const std::size_t size = message_of(entry).size();
  if (size > most)
    throw event_log::Objection{
        std::format("its message has {} bytes, more than the topic accepts", size)};
}

}  // namespace

Stream::Stream(boost::asio::io_context& loop, kafka::Settings brokers, kafka::TopicRules topic,
               observe::Metrics& metrics)
    : loop_{loop},
      brokers_{std::move(brokers)},
      name_{topic.name},
      topic_{loop, brokers_, std::move(topic),
             metrics.gauge("shopbell_stream_open",
                           "1 while the Kafka topic accepts events of the log.")},
      published_{metrics.counter("shopbell_stream_published_total",
                                 "Events of the log that are durable in Kafka.")},
      producers_{
          metrics.counter("shopbell_stream_producers_total",
                          "Kafka producers created: one, and one more after each failure.")} {}

event_log::Reader Stream::reader() {
  return {
      .name = "stream",
      .payloads = true,
      .outside = [this](std::span<const event_log::Entry> entries) { return publish(entries); }};
}

void Stream::stop() {
  stopping_ = true;
  topic_.stop();
  drop_producer();
}

// A new producer must wait until this one is closed: a message that it still sends would overtake.
void Stream::drop_producer() {
  if (!producer_) return;
  producer_.reset();
  is_closing_ = true;
  boost::asio::post(closing_,
                    [this] { boost::asio::post(loop_, [this] { is_closing_ = false; }); });
}

event_log::Begun Stream::publish(std::span<const event_log::Entry> entries) {
  if (stopping_ || !topic_.is_open())
    throw kafka::Error{std::format("topic {}: {}", name_, topic_.trouble())};
  if (is_closing_) throw kafka::Error{"the previous Kafka producer is not closed yet"};
  const std::size_t most = topic_.topic()->message_bytes - kEnvelopeBytes;
  std::vector<const event_log::Entry*> outgoing;
  outgoing.reserve(entries.size());
  for (const auto& entry : entries) {
    if (events::is_internal(entry.kind)) continue;
    require_room(entry, most);
    outgoing.push_back(&entry);
  }
  if (!producer_) {
    producer_ =
        std::make_unique<kafka::Producer>(loop_, closing_, brokers_, name_, producer_limits(most));
    producers_.add();
  }
  return {await_durable(producer_->start_delivery(outgoing.size(), [&](std::size_t index) {
    const event_log::Entry& entry = *outgoing[index];
    return kafka::NewMessage{.partition = event_log::group_of(entry),
                             .key = entry.contact_id ? entry.contact_id->to_string() : "",
                             .value = message_of(entry)};
  }))};
}

boost::asio::awaitable<void> Stream::await_durable(
    std::shared_ptr<kafka::PendingDelivery> messages) {
  const auto deliveries = co_await messages->wait();
  if (std::ranges::all_of(deliveries, [](auto each) { return each == kafka::Delivery::durable; })) {
    published_.add(static_cast<double>(deliveries.size()));
    co_return;
  }
  // Some messages may be stored, others not: a new producer, without state, sends all again.
  const std::string why = producer_ ? producer_->trouble() : "the process is shutting down";
  drop_producer();
  topic_.close(std::format("not delivered: {}", why));
  throw kafka::Error{why};
}

}  // namespace shopbell::stream
