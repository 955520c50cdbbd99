#include <algorithm>
#include <future>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "kafka/producer.h"

namespace shopbell::kafka {
namespace {

// The loop also sends heartbeats, and closing a handle may take seconds: it happens elsewhere.
// This needs no broker. It is no unit test, because those also run under ThreadSanitizer, in which
// librdkafka's own threads crash.
TEST(ProducerTest, destroying_a_producer_does_not_close_its_handle_on_the_loop) {
  asio::io_context loop{1};
  asio::thread_pool closing{1};
  std::promise<void> may_close;
  asio::post(closing, [&] { may_close.get_future().wait(); });  // like a hanging DNS query
  auto producer = std::make_unique<Producer>(loop, closing, Settings{.brokers = {"127.0.0.1:1"}},
                                             "events", Producer::Limits{.once = true});
  std::optional<std::vector<Delivery>> outcomes;
  const auto pending = producer->start_delivery(
      3, [](std::size_t) { return NewMessage{.partition = 0, .key = "key", .value = "value"}; });
  const auto take = [&]() -> asio::awaitable<void> { outcomes = co_await pending->wait(); };
  asio::co_spawn(loop, take, asio::detached);
  loop.poll();
  producer.reset();
  loop.poll();
  EXPECT_FALSE(outcomes) << "closed on the loop";
  may_close.set_value();
  closing.join();
  loop.restart();
  loop.run();
  ASSERT_TRUE(outcomes);
  EXPECT_EQ(outcomes->size(), 3U);
  EXPECT_EQ(std::ranges::count(*outcomes, Delivery::durable), 0);
}

}  // namespace
}  // namespace shopbell::kafka
