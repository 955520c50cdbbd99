#include "resources/custom_events/event_queue.h"

#include <algorithm>
#include <format>

#include "base/limits.h"
#include "resources/custom_events/queue_signature.h"

namespace shopbell::custom_events {

EventQueue::EventQueue(boost::asio::io_context& loop, const kafka::Settings& brokers,
                       const kafka::TopicRules& topic, const keyring::Keyring& keyring,
                       observe::Metrics& metrics)
    : topic_{loop, brokers, topic,
             metrics.gauge("shopbell_intake_open", "1 while Kafka accepts events.")},
      producer_{loop,
                closing_,
                brokers,
                topic.name,
                {.give_up = limits::kIntakeGiveUp,
                 .linger = limits::kIntakeLinger,
                 .numbered = true,
                 .sign = message_signer(keyring, topic.name)}},
      queued_{metrics.counter("shopbell_intake_queued_total", "Events put into Kafka.")},
      undelivered_{metrics.counter("shopbell_intake_undelivered_total",
                                   "Events that Kafka did not acknowledge in time.")} {}

boost::asio::awaitable<std::vector<kafka::Delivery>> EventQueue::put(
    std::vector<kafka::NewMessage> messages) {
  const auto deliveries = co_await producer_.deliver(std::move(messages));
  const auto durable = std::ranges::count(deliveries, kafka::Delivery::durable);
  const auto lost = std::ssize(deliveries) - durable;
  queued_.add(static_cast<double>(durable));
  undelivered_.add(static_cast<double>(lost));
  if (lost > 0) topic_.close(std::format("not delivered: {}", producer_.trouble()));
  co_return deliveries;
}

}  // namespace shopbell::custom_events
