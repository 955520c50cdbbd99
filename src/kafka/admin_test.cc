#include "kafka/admin.h"

#include <gtest/gtest.h>

namespace shopbell::kafka {

namespace {

Topic safe() { return {.partitions = 64, .replicas = 3, .insync_least = 2, .led = true}; }

TEST(TopicRisk, NoneOfThreeCopiesTwoOfThemAwaited) { EXPECT_EQ(risk_of(safe()), ""); }

TEST(TopicRisk, FewCopies) {
  Topic topic = safe();
  topic.replicas = 2;
  EXPECT_NE(risk_of(topic), "");
}

TEST(TopicRisk, OneCopyAwaited) {
  Topic topic = safe();
  topic.insync_least = 1;
  EXPECT_NE(risk_of(topic), "");
}

TEST(TopicRisk, LeaderThatLacksMessages) {
  Topic topic = safe();
  topic.unclean = true;
  EXPECT_NE(risk_of(topic), "");
}

TEST(TopicRisk, MessagesThatReplaceEachOther) {
  Topic topic = safe();
  topic.compacted = true;
  EXPECT_NE(risk_of(topic), "");
}

}  // namespace

}  // namespace shopbell::kafka
