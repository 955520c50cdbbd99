#include "kafka/admin.h"

#include <gtest/gtest.h>

namespace shopbell::kafka {

namespace {

Topic safe() { return {.partitions = 64, .replicas = 3, .insync_least = 2, .led = true}; }

TEST(TopicRisk, NoneWithThreeReplicasAndTwoInSync) { EXPECT_EQ(risk_of(safe()), ""); }

TEST(TopicRisk, TooFewReplicas) {
  Topic topic = safe();
  topic.replicas = 2;
  EXPECT_NE(risk_of(topic), "");
}

TEST(TopicRisk, MinInsyncReplicasOfOne) {
  Topic topic = safe();
  topic.insync_least = 1;
  EXPECT_NE(risk_of(topic), "");
}

TEST(TopicRisk, UncleanLeaderElection) {
  Topic topic = safe();
  topic.unclean = true;
  EXPECT_NE(risk_of(topic), "");
}

TEST(TopicRisk, Compaction) {
  Topic topic = safe();
  topic.compacted = true;
  EXPECT_NE(risk_of(topic), "");
}

}  // namespace

}  // namespace shopbell::kafka
