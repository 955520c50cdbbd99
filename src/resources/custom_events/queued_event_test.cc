#include "resources/custom_events/queued_event.h"

#include <set>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace shopbell::custom_events {

namespace {

QueuedEvent some() {
  return {.account = 42,
          .id = Uuid::v7(system_clock().now()),
          .received_at = *parse_rfc3339("2026-11-16T10:20:30.123Z"),
          .type_id = Uuid::v7(system_clock().now()),
          .parameters = {{"createContact", "true"}, {"triggerWorkflows", "none"}},
          .lenient = true,
          .body = R"({"contact":{"email":"eva@example.com"},"payload":{"total":1.10}})"};
}

TEST(QueuedEvent, SurvivesARoundTrip) {
  const QueuedEvent sent = some();
  const auto read = QueuedEvent::parse(sent.to_json());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->account, sent.account);
  EXPECT_EQ(read->id, sent.id);
  EXPECT_EQ(read->received_at, sent.received_at);
  EXPECT_EQ(read->type_id, sent.type_id);
  EXPECT_EQ(read->parameters, sent.parameters);
  EXPECT_EQ(read->lenient, sent.lenient);
  EXPECT_EQ(read->body, sent.body);  // the body keeps all digits of numbers
}

TEST(QueuedEvent, InvalidMessagesAreNotParsed) {
  const std::string json = some().to_json();
  EXPECT_FALSE(QueuedEvent::parse(""));
  EXPECT_FALSE(QueuedEvent::parse("[]"));
  EXPECT_FALSE(QueuedEvent::parse("{}"));
  for (const char* name : {"format", "account", "id", "receivedAt", "type", "lenient", "body"}) {
    std::string other = json;
    other.replace(other.find(std::string{"\""} + name + "\""), 2, "\"?");
    EXPECT_FALSE(QueuedEvent::parse(other)) << name;
  }
  std::string later = json;
  later.replace(later.find("\"format\":1"), 10, "\"format\":2");
  EXPECT_FALSE(QueuedEvent::parse(later));
}

TEST(QueuedEvent, EachIdentifierHasOnePartitionAndAllPartitionsAreUsed) {
  for (const int partitions : {1, 3, 64}) {
    std::set<std::int32_t> used;
    for (int i = 0; i < 2'000; ++i) {
      const std::string email = std::to_string(i) + "@example.com";
      const std::int32_t partition = partition_of(1, email, partitions);
      EXPECT_GE(partition, 0);
      EXPECT_LT(partition, partitions);
      EXPECT_EQ(partition, partition_of(1, email, partitions));
      used.insert(partition);
    }
    EXPECT_EQ(std::ssize(used), partitions);
  }
}

}  // namespace

}  // namespace shopbell::custom_events
