#include "kafka/producer.h"

#include <gtest/gtest.h>

namespace shopbell::kafka {
namespace {

using namespace std::chrono_literals;

// The loop also sends heartbeats: closing a handle with messages in flight must not delay it.
TEST(ProducerTest, destroying_a_producer_does_not_block_its_loop) {
  asio::io_context loop{1};
  asio::thread_pool closing{1};
  auto producer = std::make_unique<Producer>(loop, closing, Settings{.brokers = {"127.0.0.1:1"}},
                                             "events", Producer::Limits{.once = true});
  const auto pending = producer->start_delivery(
      3, [](std::size_t) { return NewMessage{.partition = 0, .key = "key", .value = "value"}; });
  loop.poll();
  const auto before = runtime::Steady::now();
  producer.reset();
  EXPECT_LT(runtime::Steady::now() - before, 20ms);
  const auto outcomes = runtime::run_to_end(loop, pending->wait());
  EXPECT_EQ(outcomes.size(), 3U);
  for (const auto outcome : outcomes) EXPECT_NE(outcome, Delivery::durable);
}

}  // namespace
}  // namespace shopbell::kafka
