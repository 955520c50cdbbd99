#include <algorithm>
#include <atomic>
#include <csignal>
#include <format>
#include <fstream>
#include <map>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>

#include "base/random.h"
#include "kafka/admin.h"
#include "kafka/consumer.h"
#include "kafka/producer.h"
#include "kafka/real_broker.h"
#include "runtime/wait.h"
#include "testing/process.h"

namespace shopbell::kafka {

namespace {

using namespace std::chrono_literals;
using Deliveries = std::vector<Delivery>;

// Kills or restarts the broker.
void services(const std::string& what) {
  shopbell::testing::run({"tools/services", what, from_environment("SHOPBELL_SERVICES")});
}

class KafkaTest : public ::testing::Test {
 protected:
  template <class T>
  T run(asio::awaitable<T> work) {
    return runtime::run_to_end(loop_, std::move(work));
  }
  void run(asio::awaitable<void> work) { runtime::run_to_end(loop_, std::move(work)); }

  // Creates a topic for this test alone.
  std::string new_topic(int partitions = 4) {
    const std::string name = std::format("test-{}", random_base62(12));
    Admin admin{loop_, real_broker()};
    run(admin.create(name, {.partitions = partitions}));
    return name;
  }

  // Delivers from the caller's loop and counts durable messages.
  static asio::awaitable<void> call(Producer& producer, std::int32_t partition,
                                    std::atomic<int>& durable) {
    const auto self = std::this_thread::get_id();
    for (int i = 0; i < 50; ++i) {
      const auto outcomes = co_await producer.deliver(messages(partition, i, 3));
      EXPECT_EQ(std::this_thread::get_id(), self);
      durable += static_cast<int>(std::ranges::count(outcomes, Delivery::durable));
    }
  }

  static std::vector<NewMessage> messages(std::int32_t partition, int from, int count) {
    std::vector<NewMessage> all;
    for (int i = from; i < from + count; ++i)
      all.push_back({.partition = partition, .key = "key", .value = std::to_string(i)});
    return all;
  }

  // Reads `count` messages, or as many as arrive within ten seconds.
  std::vector<Message> read(Consumer& consumer, std::size_t count) {
    std::vector<Message> all;
    const auto end = runtime::Steady::now() + 10s;
    while (all.size() < count && runtime::Steady::now() < end)
      for (auto& message : run(consumer.next(count - all.size(), 1s)))
        all.push_back(std::move(message));
    return all;
  }

  asio::io_context loop_{1};
  asio::thread_pool closing_{1};
};

TEST_F(KafkaTest, DescribesATopic) {
  Admin admin{loop_, real_broker()};
  EXPECT_FALSE(run(admin.describe("no-such-topic")));
  const std::string name = new_topic(7);
  const auto topic = run(admin.describe(name));
  ASSERT_TRUE(topic);
  EXPECT_EQ(topic->partitions, 7);
  EXPECT_EQ(topic->replicas, 1);
  EXPECT_EQ(topic->insync_least, 1);
  EXPECT_FALSE(topic->unclean);
  EXPECT_FALSE(topic->compacted);
  EXPECT_TRUE(topic->led);
  EXPECT_FALSE(topic->id.empty());
  EXPECT_NE(risk_of(*topic), "");
  EXPECT_NE(run(admin.describe(new_topic()))->id, topic->id);
  EXPECT_NO_THROW(run(admin.create(name, {.partitions = 7})));  // an existing topic is no error
}

TEST_F(KafkaTest, NoBrokerIsAnError) {
  Admin admin{loop_, {.brokers = {"127.0.0.1:1"}}};
  EXPECT_THROW(run(admin.describe("any")), Error);
}

TEST_F(KafkaTest, UnknownMechanismIsRefused) {
  Settings settings = real_broker();
  settings.sasl_mechanism = "NONSENSE";
  EXPECT_THROW((Admin{loop_, settings}), Error);
}

TEST_F(KafkaTest, MessagesArriveInOrder) {
  const std::string topic = new_topic();
  Producer producer{loop_, closing_, real_broker(), topic, {}};
  auto sent = messages(0, 0, 1'000);
  std::ranges::move(messages(3, 0, 500), std::back_inserter(sent));
  const Deliveries deliveries = run(producer.deliver(sent));
  EXPECT_EQ(deliveries, Deliveries(1'500, Delivery::durable));
  Consumer consumer{loop_, real_broker(), topic};
  consumer.assign({{.partition = 0, .offset = {}}, {.partition = 3, .offset = {}}});
  std::map<std::int32_t, std::int64_t> next;
  for (const auto& message : read(consumer, 1'500)) {
    EXPECT_EQ(message.offset, next[message.partition]++);
    EXPECT_EQ(message.value, std::to_string(message.offset));
    EXPECT_EQ(message.key, "key");
  }
  EXPECT_EQ(next[0], 1'000);
  EXPECT_EQ(next[3], 500);
}

TEST_F(KafkaTest, ReadsFromAnOffset) {
  const std::string topic = new_topic();
  Producer producer{loop_, closing_, real_broker(), topic, {}};
  run(producer.deliver(messages(1, 0, 100)));
  Consumer consumer{loop_, real_broker(), topic};
  consumer.assign({{.partition = 1, .offset = 40}});
  EXPECT_EQ(read(consumer, 60).front().offset, 40);
  // A new assignment seeks back, and no message of the earlier one arrives.
  consumer.assign({{.partition = 1, .offset = 90}});
  const auto again = read(consumer, 10);
  ASSERT_EQ(again.size(), 10U);
  EXPECT_EQ(again.front().offset, 90);
  consumer.assign({});
  run(producer.deliver(messages(1, 100, 1)));
  EXPECT_TRUE(run(consumer.next(10, 500ms)).empty());
}

// The number of a message within its partition identifies duplicates.
TEST_F(KafkaTest, MessagesCarrySenderAndNumber) {
  const std::string topic = new_topic();
  Producer plain{loop_, closing_, real_broker(), topic, {}};
  Producer one{loop_, closing_, real_broker(), topic, {.numbered = true}};
  Producer other{loop_, closing_, real_broker(), topic, {.numbered = true}};
  run(one.deliver(messages(0, 0, 3)));
  run(one.deliver(messages(1, 0, 1)));
  run(one.deliver(messages(0, 3, 1)));
  run(other.deliver(messages(0, 0, 2)));
  run(plain.deliver(messages(0, 0, 1)));
  Consumer consumer{loop_, real_broker(), topic};
  consumer.assign({{.partition = 0, .offset = {}}, {.partition = 1, .offset = {}}});
  std::map<std::int32_t, std::vector<Message>> sent;
  for (auto& message : read(consumer, 8)) sent[message.partition].push_back(std::move(message));
  ASSERT_EQ(sent[0].size(), 7U);
  ASSERT_EQ(sent[1].size(), 1U);
  for (std::size_t i = 0; i < 6; ++i) ASSERT_TRUE(sent[0][i].origin);
  const Origin first = *sent[0][0].origin;
  for (std::int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(sent[0][static_cast<std::size_t>(i)].origin,
              (Origin{.sender = first.sender, .number = i + 1}));
  EXPECT_EQ(sent[1][0].origin, (Origin{.sender = first.sender, .number = 1}));
  EXPECT_NE(sent[0][4].origin->sender, first.sender);
  EXPECT_EQ(sent[0][5].origin->number, 2);
  EXPECT_FALSE(sent[0][6].origin);
}

TEST_F(KafkaTest, AMissingOffsetIsAnError) {
  const std::string topic = new_topic();
  Producer producer{loop_, closing_, real_broker(), topic, {}};
  run(producer.deliver(messages(0, 0, 10)));
  Consumer consumer{loop_, real_broker(), topic};
  consumer.assign({{.partition = 0, .offset = 1'000}});
  EXPECT_THROW(run(consumer.next(10, 10s)), Error);
}

TEST_F(KafkaTest, CallersGetOutcomesOnTheirOwnLoop) {
  const std::string topic = new_topic();
  const auto work = asio::make_work_guard(loop_);
  Producer producer{loop_, closing_, real_broker(), topic, {.numbered = true}};
  loop_.restart();  // creating the topic has stopped the loop
  std::jthread reports{[&] { loop_.run(); }};
  std::vector<std::jthread> callers;
  std::atomic<int> durable = 0;
  for (std::int32_t partition = 0; partition < 4; ++partition)
    callers.emplace_back([&, partition] {
      asio::io_context own{1};
      runtime::run_to_end(own, call(producer, partition % 2, durable));
    });
  callers.clear();
  loop_.stop();
  reports.join();
  loop_.restart();
  EXPECT_EQ(durable, 600);
  // Numbers follow the order in the partition, even if several callers sent the messages.
  Consumer consumer{loop_, real_broker(), topic};
  consumer.assign({{.partition = 0, .offset = {}}, {.partition = 1, .offset = {}}});
  std::map<std::int32_t, std::int64_t> last;
  for (const auto& message : read(consumer, 600)) {
    ASSERT_TRUE(message.origin);
    EXPECT_EQ(message.origin->number, ++last[message.partition]);
  }
  EXPECT_EQ(last[0], 300);
  EXPECT_EQ(last[1], 300);
}

TEST_F(KafkaTest, ConnectsWithTlsAndSasl) {
  const std::string topic = new_topic();
  Producer producer{loop_, closing_, safe_broker(), topic, {}};
  EXPECT_EQ(run(producer.deliver(messages(0, 0, 5))), Deliveries(5, Delivery::durable));
  Settings wrong = safe_broker();
  wrong.password += "?";
  Admin wrong_password{loop_, wrong};
  EXPECT_THROW(run(wrong_password.describe(topic)), Error);
  Settings without_ca = safe_broker();
  without_ca.ca_file.clear();  // the system's list does not know this authority
  Admin distrusting{loop_, without_ca};
  EXPECT_THROW(run(distrusting.describe(topic)), Error);
}

// The broker is killed and restarted: abandoned messages are reported, and clients recover.
TEST_F(KafkaTest, GivesUpInTimeAndRecovers) {
  const std::string topic = new_topic();
  Producer producer{loop_, closing_, real_broker(), topic, {.give_up = 1'500ms}};
  Producer once{loop_, closing_, real_broker(), topic, {.give_up = 500ms, .once = true}};
  Consumer consumer{loop_, real_broker(), topic};
  consumer.assign({{.partition = 0, .offset = {}}});
  EXPECT_EQ(run(producer.deliver(messages(0, 0, 1))), Deliveries{Delivery::durable});
  services("kill-kafka");
  EXPECT_NE(run(once.deliver(messages(1, 0, 1))), Deliveries{Delivery::durable});
  const auto before = runtime::Steady::now();
  EXPECT_NE(run(producer.deliver(messages(0, 1, 1))), Deliveries{Delivery::durable});
  EXPECT_LT(runtime::Steady::now() - before, 4s);
  EXPECT_NE(producer.trouble(), "");
  EXPECT_NO_THROW(run(consumer.next(10, 1s)));
  services("resume-kafka");
  Deliveries outcomes;
  for (int i = 0; i < 20 && outcomes != Deliveries{Delivery::durable}; ++i)
    outcomes = run(producer.deliver(messages(0, 2, 1)));
  EXPECT_EQ(outcomes, Deliveries{Delivery::durable});
  // The producer stays failed: a message sent now could precede a lost one.
  EXPECT_EQ(run(once.start_delivery(1, [](auto) { return NewMessage{.partition = 1}; })->wait()),
            Deliveries{Delivery::failed});
  const auto all = read(consumer, 2);
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all.front().value, "0");
  EXPECT_EQ(all.back().value, "2");
}

// A stopped broker has messages in its socket buffer, and processes them when it continues. The
// sender may not know their outcome, but none is stored twice.
TEST_F(KafkaTest, AbandonedMessagesAreNotStoredTwice) {
  constexpr int kMessages = 30;
  const std::string topic = new_topic();
  Producer producer{loop_, closing_, real_broker(), topic, {.give_up = 1s}};
  EXPECT_EQ(run(producer.deliver(messages(0, 1'000, 1))), Deliveries{Delivery::durable});
  pid_t broker = 0;
  std::ifstream{from_environment("SHOPBELL_SERVICES") + "/kafka/1/pid"} >> broker;
  ASSERT_GT(broker, 0);
  std::map<std::string, Delivery> outcomes;
  const auto send = [&](int number) -> asio::awaitable<void> {
    co_await runtime::sleep_for(number * 100ms);
    const auto deliveries = co_await producer.deliver(messages(number % 4, number, 1));
    outcomes[std::to_string(number)] = deliveries.front();
  };
  ::kill(broker, SIGSTOP);
  for (int i = 0; i < kMessages; ++i) asio::co_spawn(loop_, send(i), asio::detached);
  run(runtime::sleep_for(1'500ms));
  ::kill(broker, SIGCONT);
  const auto end = runtime::Steady::now() + 20s;
  while (outcomes.size() < kMessages && runtime::Steady::now() < end) run(runtime::sleep_for(50ms));
  EXPECT_EQ(outcomes.size(), kMessages);
  for (std::int32_t partition = 0; partition < 4; ++partition)
    EXPECT_EQ(run(producer.deliver(messages(partition, 2'000, 1))), Deliveries{Delivery::durable});

  Consumer consumer{loop_, real_broker(), topic};
  consumer.assign({{.partition = 0}, {.partition = 1}, {.partition = 2}, {.partition = 3}});
  std::map<std::string, int> times;
  while (times["2000"] < 4 && runtime::Steady::now() < end)
    for (const auto& message : run(consumer.next(100, 1s))) ++times[message.value];
  times.erase("2000");
  for (const auto& [value, count] : times) EXPECT_EQ(count, 1) << value;
  for (const auto& [value, delivery] : outcomes) {
    if (delivery == Delivery::unknown) continue;
    EXPECT_EQ(times.contains(value), delivery == Delivery::durable) << value;
  }
}

}  // namespace

}  // namespace shopbell::kafka
